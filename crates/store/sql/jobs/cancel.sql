-- Makes the live job of a cancelled run dead; a worker that runs it loses its lease. $1 tenant, $2 run, $3 now.
UPDATE jobs
SET status = 'DEAD', lease_token = NULL, lease_until = NULL, is_paused = false, paused_for = NULL,
    paused_since = NULL, probed_at = NULL, error = 'cancelled', error_class = 'cancelled', error_code = NULL,
    guidance = 'retry the job to continue the run', updated_at = $3
WHERE tenant_id = $1 AND run_id = $2 AND status IN ('PENDING', 'PROCESSING')
