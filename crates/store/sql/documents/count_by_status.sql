SELECT status, count(*) AS documents FROM documents
WHERE tenant_id = $1 AND deleted_at IS NULL
GROUP BY status
