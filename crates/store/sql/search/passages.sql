-- The texts of chunks ($2) of active versions of a tenant ($1); with $3, only of documents of that owner.
SELECT c.chunk_id, d.doc_id, v.doc_version_id, coalesce(o.title, d.title) AS title,
       coalesce(o.filename, d.filename) AS filename, d.file_kind, c.heading, c.text,
       c.first_page, c.last_page, c.areas
FROM chunks AS c
JOIN document_versions AS v ON v.chunks_run_id = c.run_id AND v.is_active
JOIN documents AS d ON d.doc_id = v.doc_id AND d.deleted_at IS NULL
LEFT JOIN document_owners AS o ON o.doc_id = d.doc_id AND o.owner = $3
WHERE c.tenant_id = $1 AND c.chunk_id = ANY ($2)
  AND ($3::text IS NULL OR o.owner IS NOT NULL AND NOT docket_content_locked(d.doc_id, o.password_check))
