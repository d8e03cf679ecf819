-- Renews the leases that the worker still holds, updates the runs to show that they are alive, and returns the leases
-- that were lost. $1 jobs, $2 tokens, $3 the new ends, $4 now.
WITH held AS (
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) AS h (job_id, token, until)
),
-- Does not wait for locks: a job that is being settled needs no longer lease. IS NOT DISTINCT FROM keeps the planner
-- from using the index of leased jobs: see settle.sql.
locked AS MATERIALIZED (
    SELECT held.job_id, job.run_id, held.until
    FROM held, LATERAL (
        SELECT jobs.run_id FROM jobs
        WHERE jobs.job_id = held.job_id AND jobs.status IS NOT DISTINCT FROM 'PROCESSING'
          AND jobs.lease_token = held.token
        FOR UPDATE SKIP LOCKED) AS job
),
renewed AS (
    UPDATE jobs SET lease_until = locked.until, updated_at = $4
    FROM locked WHERE jobs.job_id = locked.job_id
),
touched AS (
    UPDATE ingestion_runs AS run SET updated_at = $4
    -- An array, as in claim.sql.
    WHERE run.run_id = ANY (ARRAY(SELECT run_id FROM locked)) AND run.status IS NOT DISTINCT FROM 'running'
)
SELECT held.job_id, held.token FROM held
WHERE NOT EXISTS (
    SELECT FROM jobs
    WHERE jobs.job_id = held.job_id AND jobs.status IS NOT DISTINCT FROM 'PROCESSING'
      AND jobs.lease_token = held.token)
