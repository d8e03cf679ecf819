-- Prolongs leases that are still the worker's own, and shows the runs' sign of life. $1 jobs,
-- $2 tokens, $3 now, $4 the new end.
WITH kept AS (
    UPDATE jobs SET lease_until = $4, updated_at = $3
    FROM unnest($1::uuid[], $2::uuid[]) AS held (job_id, token)
    WHERE jobs.job_id = held.job_id AND jobs.status = 'PROCESSING' AND jobs.lease_token = held.token
    RETURNING jobs.job_id, jobs.run_id
),
alive AS (
    UPDATE ingestion_runs SET updated_at = $3 FROM kept
    WHERE ingestion_runs.run_id = kept.run_id AND ingestion_runs.status = 'running'
)
SELECT job_id FROM kept
