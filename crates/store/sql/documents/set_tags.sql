UPDATE documents SET tags = $3, version = version + 1, updated_at = $4
WHERE tenant_id = $1 AND doc_id = $2 AND deleted_at IS NULL
