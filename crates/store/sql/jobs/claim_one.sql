-- Claims the job that a message names, if it is due, and returns the job's status in any case. No row: the job does not
-- exist. $1 the run, $2 the stage, $3 the tenant, $4 the document, $5 now, $6 the worker, $7 a new token, $8 the end of
-- the lease.
WITH job AS MATERIALIZED (
    SELECT job_id, status, status = 'PENDING' AND NOT is_paused AND next_run_at <= $5 AS is_due
    FROM jobs
    -- A planner workaround: IS NOT DISTINCT FROM keeps the planner from an index with the tenant, which it would choose
    -- without statistics, and read all jobs of the tenant.
    WHERE run_id = $1 AND stage = $2 AND tenant_id IS NOT DISTINCT FROM $3 AND doc_id IS NOT DISTINCT FROM $4
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
touched AS (
    UPDATE ingestion_runs AS run
    SET started_at = coalesce(run.started_at, $5), updated_at = $5
    WHERE run.run_id = ANY (ARRAY(SELECT run_id FROM claimed)) AND run.status IS DISTINCT FROM 'queued'
),
read_back AS (
    SELECT claimed.job_id, claimed.tenant_id, claimed.run_id, claimed.doc_id, claimed.stage, claimed.attempts,
           claimed.max_attempts, claimed.pauses, claimed.lease_token, claimed.trace_parent, run.pipeline, run.config,
           run.content_sha256, run.status = 'queued' AS starts_run,
           (SELECT sealed FROM secrets
            WHERE secrets.tenant_id = run.tenant_id AND purpose = 'document_password' AND secret_id = run.run_id)
               AS sealed_password,
           (extract(epoch FROM $5 - greatest(claimed.created_at, claimed.next_run_at)) * 1000)::bigint AS waited_ms,
           CASE WHEN claimed.stage <> run.pipeline[1] THEN (
               SELECT jsonb_object_agg(name, artifacts) FROM stages
               WHERE stages.run_id = run.run_id AND stages.status = 'succeeded') END AS earlier
    FROM claimed JOIN ingestion_runs AS run ON run.run_id = claimed.run_id
)
SELECT job.status AS status_before, job.is_due, read_back.*
FROM job LEFT JOIN read_back ON read_back.job_id = job.job_id
