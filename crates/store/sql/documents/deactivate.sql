-- Withdraws a document. Nothing is deleted. Returns no row when it has no active version.
WITH deactivated AS (
    UPDATE document_versions SET is_active = false, deactivated_at = $3
    WHERE tenant_id = $1 AND doc_id = $2 AND is_active
    RETURNING doc_id
)
UPDATE documents SET status = 'inactive', updated_at = $3
FROM deactivated WHERE documents.tenant_id = $1 AND documents.doc_id = deactivated.doc_id
