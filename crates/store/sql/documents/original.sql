-- The content that a document was last processed with: that of its active version, otherwise that of its latest run whose
-- original exists.
SELECT coalesce(
    (SELECT content_sha256 FROM document_versions WHERE tenant_id = $1 AND doc_id = $2 AND is_active),
    (SELECT content_sha256 FROM ingestion_runs
     WHERE tenant_id = $1 AND doc_id = $2 AND content_sha256 IS NOT NULL
     ORDER BY created_at DESC LIMIT 1))
