-- The identity of a deleted document that had this content ($2) and is not identified by it, because its original was
-- updated. No row if a document is identified by the content ($3). Locks the document, so that nobody restores it
-- meanwhile. $1 tenant.
SELECT d.source_uri FROM documents AS d
WHERE d.tenant_id = $1 AND d.deleted_at IS NOT NULL AND d.source_uri LIKE 'document://%'
  AND d.doc_id IN (SELECT r.doc_id FROM ingestion_runs AS r WHERE r.tenant_id = $1 AND r.content_sha256 = $2)
  AND NOT EXISTS (SELECT FROM documents AS same WHERE same.tenant_id = $1 AND same.source_uri = $3)
ORDER BY d.deleted_at DESC, d.doc_id
LIMIT 1
FOR NO KEY UPDATE OF d
