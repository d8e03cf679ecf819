-- Originals that must be in the object store, the latest first, at most $1.
SELECT b.tenant_id, b.sha256 FROM blobs AS b
WHERE EXISTS (SELECT FROM document_versions AS v WHERE v.tenant_id = b.tenant_id AND v.content_sha256 = b.sha256)
   OR EXISTS (SELECT FROM ingestion_runs AS r
              WHERE r.tenant_id = b.tenant_id AND r.content_sha256 = b.sha256 AND r.status <> 'failed')
ORDER BY b.touched_at DESC
LIMIT $1
