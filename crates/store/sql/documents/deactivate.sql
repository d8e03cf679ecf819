-- Takes a document out of service. Nothing is deleted. Says whether there was a version to take out.
WITH taken_out AS (
    UPDATE document_versions SET is_active = false, deactivated_at = $3
    WHERE tenant_id = $1 AND doc_id = $2 AND is_active
    RETURNING doc_id
)
UPDATE documents SET status = 'inactive', updated_at = $3
FROM taken_out WHERE documents.tenant_id = $1 AND documents.doc_id = taken_out.doc_id
