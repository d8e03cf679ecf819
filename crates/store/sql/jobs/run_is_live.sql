SELECT EXISTS (
    SELECT FROM ingestion_runs
    WHERE tenant_id = $1 AND run_id = $2 AND status IN ('queued', 'running'))
