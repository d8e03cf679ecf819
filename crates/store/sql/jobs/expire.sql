-- Takes jobs back whose lease has run out: their worker died or was cut off. Each keeps its place in the
-- line, but waits a while after some ($4: seconds after the first, second, …). After too many ($2) it is given up.
-- $1 now, $3 the most to take at once. The runs of those that are given up are moved by progression.rs.
WITH lost AS (
    SELECT job_id FROM jobs
    WHERE status = 'PROCESSING' AND lease_until < $1
    ORDER BY lease_until
    LIMIT $3
    FOR UPDATE SKIP LOCKED
),
taken_back AS (
    UPDATE jobs
    SET status = CASE WHEN expiries + 1 >= $2 THEN 'DEAD' ELSE 'PENDING' END,
        -- It was due when it was claimed, even if the clock was set back since.
        next_run_at = greatest(least(next_run_at, $1), $1 + make_interval(secs =>
            nullif(($4::float8[])[least(expiries + 1, cardinality($4::float8[]))], 0))),
        expiries = expiries + 1, lease_token = NULL, lease_until = NULL,
        paused_for = NULL, paused_since = NULL, probed_at = NULL,
        error = 'the worker ' || worker_id || ' stopped responding',
        error_class = 'poison', error_code = NULL,
        guidance = 'the work is taken over by itself; if workers keep dying on this document, look at it',
        updated_at = $1
    FROM lost WHERE jobs.job_id = lost.job_id
    RETURNING jobs.*
),
recorded AS (
    INSERT INTO stages (run_id, name, tenant_id, status, started_at, ended_at, worker_id, retries, error)
    SELECT run_id, stage, tenant_id, 'failed', started_at, $1, worker_id, attempts, error
    FROM taken_back WHERE status = 'DEAD'
    ON CONFLICT (run_id, name) DO UPDATE
    SET status = 'failed', ended_at = excluded.ended_at, worker_id = excluded.worker_id,
        retries = excluded.retries, error = excluded.error
)
SELECT job_id, tenant_id, run_id, stage, status, error, trace_parent FROM taken_back
