SELECT job_id, run_id, j.doc_id, type, stage, j.status, priority, attempts, max_attempts, expiries, next_run_at,
       lease_until, worker_id, started_at, j.error, error_class, guidance, pauses, paused_for, j.created_at, j.updated_at,
       d.title AS doc_title
FROM jobs AS j LEFT JOIN documents AS d ON d.tenant_id = $1 AND d.doc_id = j.doc_id AND d.deleted_at IS NULL
WHERE j.tenant_id = $1 AND j.job_id = $2
