-- Ends a run that is not over: its job is given up, a worker that has it loses its lease. The caller
-- has locked the live job.
WITH run AS (
    UPDATE ingestion_runs
    SET status = 'failed', error = 'cancelled', finished_at = $3, updated_at = $3
    WHERE tenant_id = $1 AND run_id = $2 AND status IN ('queued', 'running')
    RETURNING run_id, tenant_id, doc_id
),
dropped AS (
    UPDATE jobs
    SET status = 'DEAD', lease_token = NULL, lease_until = NULL, is_paused = false, paused_for = NULL,
        paused_since = NULL, probed_at = NULL, error = 'cancelled', error_class = 'cancelled', error_code = NULL,
        guidance = 'retry the job to go on with the run', updated_at = $3
    FROM run WHERE jobs.run_id = run.run_id AND jobs.status IN ('PENDING', 'PROCESSING')
    RETURNING jobs.job_id
),
told AS (
    INSERT INTO outbox_events (evt_id, tenant_id, topic, payload, created_at)
    SELECT $4, tenant_id, 'document.failed',
           jsonb_build_object('doc_id', doc_id, 'run_id', run_id, 'error', 'cancelled'), $3
    FROM run
)
SELECT run_id FROM run
