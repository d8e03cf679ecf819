INSERT INTO document_owners (tenant_id, owner, doc_id, created_at) VALUES ($1, $2, $3, $4)
ON CONFLICT DO NOTHING
