-- A dead job starts afresh, and its run goes on. Nothing when the job is not dead, its document was deleted or a later
-- run took the place of its run.
WITH revived AS (
    UPDATE jobs
    SET status = 'PENDING', attempts = 0, expiries = 0, pauses = 0, is_paused = false, paused_for = NULL,
        paused_since = NULL, probed_at = NULL, next_run_at = $3, error = NULL, error_class = NULL, error_code = NULL,
        discarded_at = NULL, guidance = NULL, updated_at = $3
    WHERE tenant_id = $1 AND job_id = $2 AND status = 'DEAD'
      AND EXISTS (SELECT FROM dead_jobs AS dead
                  WHERE dead.job_id = jobs.job_id
                    AND (dead.closed_by IS NULL OR dead.closed_by IN ('discarded', 'withdrawn')))
    RETURNING job_id, run_id
),
resumed AS (
    UPDATE ingestion_runs AS run
    SET status = 'running', error = NULL, finished_at = NULL, updated_at = $3
    FROM revived WHERE run.run_id = revived.run_id AND run.status = 'failed'
)
SELECT run_id FROM revived
