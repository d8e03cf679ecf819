-- Copies the stages of an earlier run that the new one does not repeat: $1 tenant, $2 the new run, $3 the earlier run,
-- $4 which stages.
INSERT INTO stages (run_id, name, tenant_id, status, started_at, ended_at, worker_id, retries, artifacts, stats)
SELECT $2, name, tenant_id, status, started_at, ended_at, worker_id, retries, artifacts, stats
FROM stages
WHERE tenant_id = $1 AND run_id = $3 AND name = ANY ($4) AND status = 'succeeded'
