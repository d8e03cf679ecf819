-- Corrects the leases of running jobs after the clock was set back. A worker that is alive renews its lease with the new
-- time anyway; the lease of a dead one would last as long as the clock was ahead. Parameters as in correct_pending.sql.
WITH ahead AS MATERIALIZED (
    SELECT job_id, lease_until - updated_at AS distance FROM jobs
    WHERE status = 'PROCESSING' AND (updated_at > $2 OR lease_until > $1::timestamptz + interval '1 day')
    LIMIT $3
    FOR UPDATE SKIP LOCKED
)
UPDATE jobs
SET lease_until = $1 + least(distance, interval '1 minute'), updated_at = $1
FROM ahead WHERE jobs.job_id = ahead.job_id
