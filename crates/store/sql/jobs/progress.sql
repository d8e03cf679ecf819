-- Records the progress of jobs whose lease the worker still holds. $1 jobs, $2 tokens, $3 done, $4 total, $5 now.
WITH reported AS (
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::int[], $4::int[]) AS t (job_id, token, done, total)
),
-- Does not wait for locks: a job that is being settled needs no progress. IS NOT DISTINCT FROM keeps the planner from
-- using the index of leased jobs: see settle.sql.
locked AS MATERIALIZED (
    SELECT reported.job_id, reported.done, reported.total
    FROM reported, LATERAL (
        SELECT FROM jobs
        WHERE jobs.job_id = reported.job_id AND jobs.status IS NOT DISTINCT FROM 'PROCESSING'
          AND jobs.lease_token = reported.token
        FOR UPDATE SKIP LOCKED) AS job
)
UPDATE jobs SET progress_done = locked.done, progress_total = locked.total, updated_at = $5
FROM locked WHERE jobs.job_id = locked.job_id
