-- One job, with the title of its document unless that was deleted. For a dead job, also what closed it.
SELECT job_id, run_id, j.doc_id, type, stage, j.status, priority, attempts, max_attempts, expiries, next_run_at,
       lease_until, worker_id, started_at, j.error, error_class, error_code, guidance, pauses, paused_for, j.created_at,
       j.updated_at, d.title AS doc_title,
       (SELECT dead.closed_by FROM dead_jobs AS dead WHERE dead.job_id = j.job_id) AS closed_by
FROM jobs AS j LEFT JOIN documents AS d ON d.tenant_id = $1 AND d.doc_id = j.doc_id AND d.deleted_at IS NULL
WHERE j.tenant_id = $1 AND j.job_id = $2
