-- Takes over stale runs. $1 the moment before which a queued run is stale, $2 the same for a running one, $3 now, $4 the
-- most runs of each kind, $5 ids for new jobs, $6 how often a recreated job may be retried. progression.rs closes the
-- runs whose stages have all succeeded.
WITH without_heartbeat AS MATERIALIZED (
    -- Leased without a heartbeat for that long, whenever the lease ends.
    SELECT job.job_id FROM ingestion_runs AS run JOIN jobs AS job ON job.run_id = run.run_id
    WHERE run.status = 'running' AND run.updated_at < $2
      AND job.status = 'PROCESSING' AND job.updated_at < $2
    LIMIT $4
    FOR UPDATE OF job SKIP LOCKED
),
requeued AS (
    UPDATE jobs
    SET status = 'PENDING', expiries = expiries + 1, lease_token = NULL, lease_until = NULL,
        next_run_at = least(next_run_at, $3), paused_for = NULL, paused_since = NULL, probed_at = NULL,
        error = 'the worker ' || worker_id || ' showed no sign of life', error_class = 'poison',
        error_code = NULL,
        guidance = 'another worker takes the job over; if workers keep dying on this document, inspect it',
        updated_at = $3
    FROM without_heartbeat AS stale WHERE jobs.job_id = stale.job_id
    RETURNING jobs.job_id, jobs.tenant_id, jobs.run_id, jobs.stage, jobs.error, jobs.trace_parent
),
-- Runs without a live job. No worker can be running them: that would need the lease of a live job.
abandoned AS MATERIALIZED (
    SELECT run_id, tenant_id, doc_id, pipeline, row_number() OVER () AS ordinal FROM (
        SELECT run_id, tenant_id, doc_id, pipeline FROM ingestion_runs AS run
        WHERE (run.status = 'queued' AND run.updated_at < $1 OR run.status = 'running' AND run.updated_at < $2)
          AND NOT EXISTS (
              SELECT FROM jobs WHERE jobs.run_id = run.run_id AND jobs.status IN ('PENDING', 'PROCESSING'))
        LIMIT $4
        FOR UPDATE SKIP LOCKED) AS free
),
-- The first stage of each that has not succeeded; NULL when all have.
next AS MATERIALIZED (
    SELECT a.*, (
        SELECT p.stage FROM unnest(a.pipeline) WITH ORDINALITY AS p (stage, step)
        WHERE NOT EXISTS (
            SELECT FROM stages AS s WHERE s.run_id = a.run_id AND s.name = p.stage AND s.status = 'succeeded')
        ORDER BY p.step LIMIT 1) AS stage
    FROM abandoned AS a
),
recreated AS (
    INSERT INTO jobs AS job (job_id, tenant_id, run_id, doc_id, stage, status, priority, max_attempts, next_run_at,
                             trace_parent, created_at, updated_at)
    SELECT ($5::uuid[])[next.ordinal], next.tenant_id, next.run_id, next.doc_id, next.stage, 'PENDING',
           coalesce(before.priority, 0), $6, $3, before.trace_parent, $3, $3
    FROM next, LATERAL (
        SELECT max(priority) AS priority, max(trace_parent) AS trace_parent FROM jobs
        WHERE jobs.run_id = next.run_id) AS before
    WHERE next.stage IS NOT NULL
    ON CONFLICT (run_id, stage) DO UPDATE
    SET status = 'PENDING', attempts = 0, expiries = 0, pauses = 0, is_paused = false, paused_for = NULL,
        paused_since = NULL, probed_at = NULL, next_run_at = excluded.next_run_at, error = NULL,
        error_class = NULL, error_code = NULL, discarded_at = NULL, guidance = NULL, updated_at = excluded.updated_at
    RETURNING job.job_id, job.tenant_id, job.run_id, job.stage, job.trace_parent
),
touched AS (
    UPDATE ingestion_runs AS run SET updated_at = $3
    FROM (SELECT run_id FROM requeued UNION ALL SELECT run_id FROM recreated) AS changed
    WHERE run.run_id = changed.run_id
)
SELECT 'requeued' AS what, job_id, tenant_id, run_id, stage, error, trace_parent FROM requeued
UNION ALL
SELECT 'recreated', job_id, tenant_id, run_id, stage, NULL, trace_parent FROM recreated
UNION ALL
SELECT 'closed', NULL, tenant_id, run_id, NULL, NULL, NULL FROM next WHERE stage IS NULL
