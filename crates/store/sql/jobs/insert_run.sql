-- Inserts a queued run and the job of its first stage, or of the stage that it starts with ($16).
WITH run AS (
    INSERT INTO ingestion_runs
        (run_id, tenant_id, doc_id, status, pipeline, parent_run_id, reason, initiated_by, config,
         created_at, updated_at, content_sha256, batch_id, password_check, run_type)
    VALUES ($1, $2, $3, 'queued', $4, $5, $6, $7, $8, $9, $9, $14, $15, $17, $18)
    RETURNING run_id
)
INSERT INTO jobs (job_id, tenant_id, run_id, doc_id, stage, status, priority, max_attempts, next_run_at,
                  trace_parent, created_at, updated_at)
SELECT $10, $2, run_id, $3, coalesce($16, ($4::text[])[1]), 'PENDING', $11, $12, $9, $13, $9, $9 FROM run
