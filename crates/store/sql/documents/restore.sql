-- Brings a deleted document back: it is seen again, and served once a run of it succeeds.
UPDATE documents SET deleted_at = NULL, status = 'uploaded', updated_at = $3
WHERE tenant_id = $1 AND doc_id = $2 AND deleted_at IS NOT NULL
