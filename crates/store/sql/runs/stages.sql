-- What became of each stage of some runs; and the stage that each is in, if it is in one.
SELECT run_id, name, status, started_at, ended_at, worker_id, retries, error, artifacts
FROM stages WHERE tenant_id = $1 AND run_id = ANY ($2)
UNION ALL
SELECT run_id, stage, lower(status), started_at, NULL, worker_id, attempts, error, '[]'
FROM jobs WHERE tenant_id = $1 AND run_id = ANY ($2) AND status IN ('PENDING', 'PROCESSING')
ORDER BY started_at NULLS LAST
