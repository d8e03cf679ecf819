-- Restores a deleted document: it is visible again, and active once a run of it activates a version.
UPDATE documents SET deleted_at = NULL, status = 'uploaded', updated_at = $3
WHERE tenant_id = $1 AND doc_id = $2 AND deleted_at IS NOT NULL
