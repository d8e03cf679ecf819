-- One document, for anybody or ($3) for one of its owners.
SELECT d.doc_id, d.source_type, d.source_uri, d.title, d.source, d.filename, d.mime, d.bytes_len, d.status, d.error,
       d.version, d.tags, d.created_at, d.updated_at, v.doc_version_id, v.version_label, v.content_hash
FROM documents AS d
LEFT JOIN document_versions AS v ON v.tenant_id = d.tenant_id AND v.doc_id = d.doc_id AND v.is_active
WHERE d.tenant_id = $1 AND d.doc_id = $2 AND d.deleted_at IS NULL
  AND ($3::text IS NULL OR EXISTS (
      SELECT FROM document_owners AS o WHERE o.doc_id = d.doc_id AND o.owner = $3))
