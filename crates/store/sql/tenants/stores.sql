SELECT EXISTS (SELECT FROM documents
               WHERE tenant_id = $1 AND source_uri = $2 AND deleted_at IS NULL)
