-- Hides a document and takes it out of service. Its rows stay; the passwords of its original go at once.
WITH taken_out AS (
    UPDATE document_versions SET is_active = false, deactivated_at = $3
    WHERE tenant_id = $1 AND doc_id = $2 AND is_active
),
forgotten AS (
    UPDATE ingestion_runs SET sealed_password = NULL, password = NULL
    WHERE tenant_id = $1 AND doc_id = $2 AND (sealed_password IS NOT NULL OR password IS NOT NULL)
    RETURNING run_id
)
UPDATE documents SET status = 'inactive', updated_at = $3, deleted_at = $3
WHERE tenant_id = $1 AND doc_id = $2 AND deleted_at IS NULL
  -- Runs are locked before their document, as where a run ends.
  AND (SELECT count(*) FROM forgotten) >= 0
