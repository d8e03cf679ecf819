-- The documents of a tenant ($1) with an active version, all or, with $2, some. An owner finds a document with a password
-- only after presenting it, and filters by their own tags and creation time.
SELECT d.doc_id, v.doc_version_id, d.file_kind, d.created_at, d.tags,
       coalesce((SELECT jsonb_agg(jsonb_build_object('owner', o.owner, 'created_at', o.created_at, 'tags', o.tags)
                                  ORDER BY o.owner)
                 FROM document_owners AS o
                 WHERE o.doc_id = d.doc_id AND NOT docket_content_locked(d.doc_id, o.password_check)), '[]') AS owners,
       ARRAY(SELECT b.batch_id FROM batch_documents AS b WHERE b.doc_id = d.doc_id ORDER BY b.batch_id) AS batches
FROM document_versions AS v
JOIN documents AS d ON d.doc_id = v.doc_id
WHERE v.tenant_id = $1 AND v.is_active AND d.deleted_at IS NULL
  AND ($2::uuid[] IS NULL OR v.doc_id = ANY ($2))
