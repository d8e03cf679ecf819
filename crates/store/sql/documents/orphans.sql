-- Documents that never got a version, in the order of the other lists.
SELECT d.doc_id, d.file_kind, d.source_uri, d.title, d.source, d.filename, d.mime, d.bytes_len, d.pages, d.status, d.error,
       d.revision, d.tags, d.created_at, d.updated_at, v.doc_version_id, v.version_label, v.content_hash,
       CASE WHEN d.error IS NOT NULL THEN docket_error_code(d.doc_id) END AS error_code, false AS is_searchable,
       false AS content_locked, false AS is_masked
FROM documents AS d
LEFT JOIN document_versions AS v ON v.tenant_id = d.tenant_id AND v.doc_id = d.doc_id AND v.is_active
WHERE d.tenant_id = $1 AND d.deleted_at IS NULL
  AND NOT EXISTS (SELECT FROM document_versions AS any_version WHERE any_version.doc_id = d.doc_id)
  AND ($2::timestamptz IS NULL OR (d.created_at, d.doc_id) < ($2, $3))
ORDER BY d.created_at DESC, d.doc_id DESC
OFFSET $4 LIMIT $5
