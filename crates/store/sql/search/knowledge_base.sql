-- One page of what may influence answers, newest first, after the cursor ($3, $4), of everybody or ($2) of
-- one owner: $1 tenant.
SELECT d.doc_id, v.doc_version_id, d.title, d.filename, d.source_type, v.created_at AS activated_at,
       (SELECT count(*) FROM chunks AS c WHERE c.tenant_id = $1 AND c.run_id = v.run_id) AS chunks,
       (SELECT coalesce(max(c.last_page), 0) FROM chunks AS c WHERE c.tenant_id = $1 AND c.run_id = v.run_id) AS pages
FROM document_versions AS v
JOIN documents AS d ON d.doc_id = v.doc_id AND d.deleted_at IS NULL
WHERE v.tenant_id = $1 AND v.is_active
  AND ($2::text IS NULL OR EXISTS (
      SELECT FROM document_owners AS o WHERE o.doc_id = d.doc_id AND o.owner = $2))
  AND ($3::timestamptz IS NULL OR (v.created_at, v.doc_version_id) < ($3, $4))
ORDER BY v.created_at DESC, v.doc_version_id DESC
OFFSET $5 LIMIT $6
