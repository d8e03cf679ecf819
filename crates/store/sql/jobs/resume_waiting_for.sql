-- Makes the jobs that wait for these dependencies ($1) claimable at once, at most $3 of them: the dependencies work
-- again. $2 now.
UPDATE jobs
SET is_paused = false, paused_for = NULL, paused_since = NULL, probed_at = NULL, next_run_at = $2, updated_at = $2
WHERE job_id IN (
    SELECT job_id FROM jobs
    WHERE paused_for = ANY ($1) AND status = 'PENDING' AND is_paused
    ORDER BY probed_at
    LIMIT $3
    FOR UPDATE SKIP LOCKED)
