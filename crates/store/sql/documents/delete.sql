-- Deletes a document: it is hidden and has no active version. Its rows stay, but the passwords of its original and what it
-- taught the layout memory are deleted at once.
WITH deactivated AS (
    UPDATE document_versions SET is_active = false, deactivated_at = $3
    WHERE tenant_id = $1 AND doc_id = $2 AND is_active
),
deleted_passwords AS (
    DELETE FROM secrets
    WHERE tenant_id = $1 AND purpose = 'document_password'
      AND secret_id IN (SELECT run_id FROM ingestion_runs WHERE tenant_id = $1 AND doc_id = $2)
),
forgotten AS (
    DELETE FROM layout_memory WHERE tenant_id = $1 AND doc_id = $2
)
UPDATE documents SET status = 'inactive', updated_at = $3, deleted_at = $3
WHERE tenant_id = $1 AND doc_id = $2 AND deleted_at IS NULL
