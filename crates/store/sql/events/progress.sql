-- The progress of the running stages of several tenants ($1).
SELECT tenant_id, job_id, doc_id, run_id, stage, progress_done AS done, progress_total AS total FROM jobs
WHERE tenant_id = ANY ($1) AND status = 'PROCESSING' AND progress_total IS NOT NULL AND progress_done IS NOT NULL
