-- Resets and requeues a dead job. No row when it is not dead, its document was deleted or a later run superseded its run.
-- $1 tenant, $2 job, $3 now.
UPDATE jobs
SET status = 'PENDING', attempts = 0, expiries = 0, pauses = 0, is_paused = false, paused_for = NULL,
    paused_since = NULL, probed_at = NULL, next_run_at = $3, error = NULL, error_class = NULL, error_code = NULL,
    discarded_at = NULL, guidance = NULL, updated_at = $3
WHERE tenant_id = $1 AND job_id = $2 AND status = 'DEAD'
  AND EXISTS (SELECT FROM dead_jobs AS dead
              WHERE dead.job_id = jobs.job_id
                AND (dead.closed_by IS NULL OR dead.closed_by IN ('discarded', 'withdrawn')))
RETURNING run_id
