-- Takes jobs back whose lease has run out: their worker died or was cut off. Each keeps its place in the
-- line, but waits a while after some ($5: seconds after the first, second, …). After too many ($2) it is given up.
-- $1 now, $3 the most to take at once, $4 event ids.
WITH lost AS (
    SELECT job_id, row_number() OVER () AS place FROM (
        SELECT job_id FROM jobs
        WHERE status = 'PROCESSING' AND lease_until < $1
        ORDER BY lease_until
        LIMIT $3
        FOR UPDATE SKIP LOCKED) AS free
),
taken_back AS (
    UPDATE jobs
    SET status = CASE WHEN expiries + 1 >= $2 THEN 'DEAD' ELSE 'PENDING' END,
        -- It was due when it was claimed, even if the clock was set back since.
        next_run_at = greatest(least(next_run_at, $1), $1 + make_interval(secs =>
            nullif(($5::float8[])[least(expiries + 1, cardinality($5::float8[]))], 0))),
        expiries = expiries + 1, lease_token = NULL, lease_until = NULL,
        paused_for = NULL, paused_since = NULL, probed_at = NULL,
        error = 'the worker ' || worker_id || ' stopped responding',
        error_class = 'poison', error_code = NULL,
        guidance = 'the work is taken over by itself; if workers keep dying on this document, look at it',
        updated_at = $1
    FROM lost WHERE jobs.job_id = lost.job_id
    RETURNING jobs.*, lost.place
),
ended AS (
    UPDATE ingestion_runs AS run
    SET status = 'failed', error = t.error, finished_at = $1, updated_at = $1
    FROM taken_back AS t
    WHERE run.run_id = t.run_id AND t.status = 'DEAD' AND run.status = 'running'
    RETURNING run.run_id
),
recorded AS (
    INSERT INTO stages (run_id, name, tenant_id, status, started_at, ended_at, worker_id, retries, error)
    SELECT run_id, stage, tenant_id, 'failed', started_at, $1, worker_id, attempts, error
    FROM taken_back WHERE status = 'DEAD'
    ON CONFLICT (run_id, name) DO UPDATE
    SET status = 'failed', ended_at = excluded.ended_at, worker_id = excluded.worker_id,
        retries = excluded.retries, error = excluded.error
),
told AS (
    INSERT INTO outbox_events (evt_id, tenant_id, topic, payload, created_at)
    SELECT ($4::uuid[])[place], tenant_id, 'document.failed',
           jsonb_build_object('doc_id', doc_id, 'run_id', run_id, 'stage', stage, 'error', error), $1
    FROM taken_back JOIN ended USING (run_id)
)
SELECT job_id, tenant_id, run_id, stage, status, error, trace_parent FROM taken_back
