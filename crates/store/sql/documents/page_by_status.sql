-- The same of one state ($9).
SELECT d.doc_id, d.source_type, d.source_uri, d.title, d.source, d.filename, d.mime, d.bytes_len, d.status, d.error,
       d.version, d.tags, d.created_at, d.updated_at, v.doc_version_id, v.version_label, v.content_hash
FROM documents AS d
LEFT JOIN document_versions AS v ON v.tenant_id = d.tenant_id AND v.doc_id = d.doc_id AND v.is_active
WHERE d.tenant_id = $1 AND d.deleted_at IS NULL AND d.status = $9
  AND ($2::text IS NULL OR strpos(lower(d.title || ' ' || d.filename), lower($2)) > 0)
  AND ($3::timestamptz IS NULL OR d.created_at >= $3)
  AND ($4::timestamptz IS NULL OR d.created_at < $4)
  AND ($5::timestamptz IS NULL OR (d.created_at, d.doc_id) < ($5, $6))
ORDER BY d.created_at DESC, d.doc_id DESC
OFFSET $7 LIMIT $8
