-- Claims the job that a message names, if it is due; in any case says how the job stands. No row: there is no such job.
-- $1 the run, $2 the stage, $3 the tenant, $4 the document, $5 now, $6 the worker, $7 a fresh token, $8 the lease's end.
WITH job AS MATERIALIZED (
    SELECT job_id, status, status = 'PENDING' AND NOT is_paused AND next_run_at <= $5 AS is_due
    FROM jobs
    WHERE run_id = $1 AND stage = $2 AND tenant_id = $3 AND doc_id = $4
    FOR UPDATE
),
claimed AS (
    UPDATE jobs
    SET status = 'PROCESSING', lease_token = $7, lease_until = $8,
        worker_id = $6, started_at = $5, updated_at = $5, progress_done = NULL, progress_total = NULL
    FROM job WHERE jobs.job_id = job.job_id AND job.is_due
    RETURNING jobs.*
),
-- As in claim.sql.
started AS (
    UPDATE ingestion_runs AS run
    SET status = 'running', started_at = coalesce(run.started_at, $5), updated_at = $5
    FROM claimed
    WHERE run.run_id = claimed.run_id
    RETURNING claimed.*, run.pipeline, run.config, run.content_sha256, run.sealed_password
),
read_back AS (
    SELECT job_id, tenant_id, run_id, doc_id, stage, attempts, max_attempts, pauses, lease_token, trace_parent,
           pipeline, config, content_sha256, sealed_password,
           (extract(epoch FROM $5 - greatest(created_at, next_run_at)) * 1000)::bigint AS waited_ms,
           CASE WHEN stage <> pipeline[1] THEN (
               SELECT jsonb_object_agg(name, artifacts) FROM stages
               WHERE stages.run_id = started.run_id AND stages.status = 'succeeded') END AS earlier
    FROM started
)
SELECT job.status AS status_before, job.is_due, read_back.*
FROM job LEFT JOIN read_back ON read_back.job_id = job.job_id
