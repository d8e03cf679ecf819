-- Hides a document and takes it out of service. Its rows stay.
WITH taken_out AS (
    UPDATE document_versions SET is_active = false, deactivated_at = $3
    WHERE tenant_id = $1 AND doc_id = $2 AND is_active
)
UPDATE documents SET status = 'inactive', updated_at = $3, deleted_at = $3
WHERE tenant_id = $1 AND doc_id = $2 AND deleted_at IS NULL
