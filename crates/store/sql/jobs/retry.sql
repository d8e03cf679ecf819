-- A dead job starts afresh, and its run goes on. Nothing when the job is not dead.
WITH revived AS (
    UPDATE jobs
    SET status = 'PENDING', attempts = 0, expiries = 0, pauses = 0, is_paused = false, paused_for = NULL,
        paused_since = NULL, probed_at = NULL, next_run_at = $3, error = NULL, error_class = NULL, guidance = NULL,
        updated_at = $3
    WHERE tenant_id = $1 AND job_id = $2 AND status = 'DEAD'
    RETURNING job_id, run_id
),
resumed AS (
    UPDATE ingestion_runs AS run
    SET status = 'running', error = NULL, finished_at = NULL, updated_at = $3
    FROM revived WHERE run.run_id = revived.run_id AND run.status = 'failed'
)
SELECT run_id FROM revived
