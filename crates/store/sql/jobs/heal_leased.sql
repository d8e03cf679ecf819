-- The same for jobs under way: a worker that lives prolongs its lease by the new time anyway; the lease of one that
-- died would last as long as the clock was ahead. Parameters as in heal_waiting.sql.
WITH found AS MATERIALIZED (
    SELECT job_id, lease_until - updated_at AS distance FROM jobs
    WHERE status = 'PROCESSING' AND (updated_at > $2 OR lease_until > $1::timestamptz + interval '1 day')
    LIMIT $3
    FOR UPDATE SKIP LOCKED
)
UPDATE jobs
SET lease_until = $1 + least(distance, interval '1 minute'), updated_at = $1
FROM found WHERE jobs.job_id = found.job_id
