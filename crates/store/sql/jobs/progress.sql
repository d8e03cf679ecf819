-- Notes how far jobs are that are still the worker's own. $1 jobs, $2 tokens, $3 done, $4 of how many, $5 now.
WITH told AS (
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::int[], $4::int[]) AS t (job_id, token, done, total)
),
-- Found by their ids alone, for the reason that settle.sql gives; one that is being settled is past it.
ours AS MATERIALIZED (
    SELECT told.job_id, told.done, told.total
    FROM told, LATERAL (
        SELECT FROM jobs
        WHERE jobs.job_id = told.job_id AND jobs.status IS NOT DISTINCT FROM 'PROCESSING'
          AND jobs.lease_token = told.token
        FOR UPDATE SKIP LOCKED) AS job
)
UPDATE jobs SET progress_done = ours.done, progress_total = ours.total, updated_at = $5
FROM ours WHERE jobs.job_id = ours.job_id
