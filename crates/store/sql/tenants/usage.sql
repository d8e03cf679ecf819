-- What a tenant ($1) stores, counted.
SELECT (SELECT count(*) FROM documents WHERE tenant_id = $1 AND deleted_at IS NULL) AS documents,
       (SELECT count(*) FROM ingestion_runs WHERE tenant_id = $1 AND status = 'queued') AS waiting_runs,
       (SELECT count(*) FROM users WHERE tenant_id = $1) AS users
