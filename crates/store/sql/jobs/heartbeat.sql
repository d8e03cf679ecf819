-- Prolongs leases that are still the worker's own, shows the runs' sign of life, and names the leases
-- that were lost. $1 jobs, $2 tokens, $3 the new ends, $4 now.
WITH held AS (
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) AS h (job_id, token, until)
),
-- Never waits: a job that is being settled at this moment needs no longer lease.
-- Found by their ids alone, for the reason that settle.sql gives.
free AS MATERIALIZED (
    SELECT held.job_id, job.run_id, held.until
    FROM held, LATERAL (
        SELECT jobs.run_id FROM jobs
        WHERE jobs.job_id = held.job_id AND jobs.status IS NOT DISTINCT FROM 'PROCESSING'
          AND jobs.lease_token = held.token
        FOR UPDATE SKIP LOCKED) AS job
),
kept AS (
    UPDATE jobs SET lease_until = free.until, updated_at = $4
    FROM free WHERE jobs.job_id = free.job_id
),
alive AS (
    UPDATE ingestion_runs AS run SET updated_at = $4
    FROM free WHERE run.run_id = free.run_id AND run.status IS NOT DISTINCT FROM 'running'
)
SELECT held.job_id, held.token FROM held
WHERE NOT EXISTS (
    SELECT FROM jobs
    WHERE jobs.job_id = held.job_id AND jobs.status IS NOT DISTINCT FROM 'PROCESSING'
      AND jobs.lease_token = held.token)
