-- One page of the knowledge base of a tenant ($1), newest first, after the cursor ($3, $4). With $2, only the documents of
-- that owner.
SELECT d.doc_id, v.doc_version_id, coalesce(o.title, d.title) AS title,
       coalesce(o.filename, d.filename) AS filename, d.file_kind, v.created_at AS activated_at,
       (SELECT count(*) FROM chunks AS c WHERE c.tenant_id = $1 AND c.run_id = v.chunks_run_id) AS chunks,
       (SELECT coalesce(max(c.last_page), 0) FROM chunks AS c WHERE c.tenant_id = $1 AND c.run_id = v.chunks_run_id) AS pages
FROM document_versions AS v
JOIN documents AS d ON d.doc_id = v.doc_id AND d.deleted_at IS NULL
LEFT JOIN document_owners AS o ON o.doc_id = d.doc_id AND o.owner = $2
WHERE v.tenant_id = $1 AND v.is_active
  AND ($2::text IS NULL OR o.owner IS NOT NULL AND NOT docket_content_locked(d.doc_id, o.password_check))
  AND ($3::timestamptz IS NULL OR (v.created_at, v.doc_version_id) < ($3, $4))
ORDER BY v.created_at DESC, v.doc_version_id DESC
OFFSET $5 LIMIT $6
