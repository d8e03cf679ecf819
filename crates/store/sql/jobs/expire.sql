-- Releases jobs whose lease has expired: their worker died or lost its connection. A job keeps its position in the
-- queue, but is delayed after some expiries ($4: seconds after the first, second, …). After too many ($2) it is dead.
-- $1 now, $3 the most jobs at once. progression.rs changes the runs of dead jobs.
WITH expired AS (
    SELECT job_id FROM jobs
    WHERE status = 'PROCESSING' AND lease_until < $1
    ORDER BY lease_until
    LIMIT $3
    FOR UPDATE SKIP LOCKED
),
released AS (
    UPDATE jobs
    SET status = CASE WHEN expiries + 1 >= $2 THEN 'DEAD' ELSE 'PENDING' END,
        -- It was due when it was claimed, even if the clock was set back since then.
        next_run_at = greatest(least(next_run_at, $1), $1 + make_interval(secs =>
            nullif(($4::float8[])[least(expiries + 1, cardinality($4::float8[]))], 0))),
        expiries = expiries + 1, lease_token = NULL, lease_until = NULL,
        paused_for = NULL, paused_since = NULL, probed_at = NULL,
        error = 'the worker ' || worker_id || ' stopped responding',
        error_class = 'poison', error_code = NULL,
        guidance = 'another worker takes the job over; if workers keep dying on this document, inspect it',
        updated_at = $1
    FROM expired WHERE jobs.job_id = expired.job_id
    RETURNING jobs.*
),
recorded AS (
    INSERT INTO stages (run_id, name, tenant_id, status, started_at, ended_at, worker_id, retries, error)
    SELECT run_id, stage, tenant_id, 'failed', started_at, $1, worker_id, attempts, error
    FROM released WHERE status = 'DEAD'
    ON CONFLICT (run_id, name) DO UPDATE
    SET status = 'failed', ended_at = excluded.ended_at, worker_id = excluded.worker_id,
        retries = excluded.retries, error = excluded.error
)
SELECT job_id, tenant_id, run_id, stage, status, error, trace_parent FROM released
