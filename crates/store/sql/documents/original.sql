-- The content a document was last processed with: of its active version, else of its latest run that
-- still has its original.
SELECT coalesce(
    (SELECT content_sha256 FROM document_versions WHERE tenant_id = $1 AND doc_id = $2 AND is_active),
    (SELECT content_sha256 FROM ingestion_runs
     WHERE tenant_id = $1 AND doc_id = $2 AND content_sha256 IS NOT NULL
     ORDER BY created_at DESC LIMIT 1))
