SELECT job_id, run_id, doc_id, type, stage, status, priority, attempts, max_attempts, expiries, next_run_at,
       lease_until, worker_id, started_at, error, error_class, guidance, created_at, updated_at
FROM jobs WHERE tenant_id = $1 AND job_id = $2
