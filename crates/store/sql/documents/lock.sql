-- Locks a document ($2) until the end of the transaction, so that it is neither updated, rerun nor deleted meanwhile. No row
-- if it is deleted. $1 tenant.
SELECT doc_id FROM documents WHERE tenant_id = $1 AND doc_id = $2 AND deleted_at IS NULL
FOR NO KEY UPDATE
