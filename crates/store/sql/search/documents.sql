-- Documents that can be found, all or ($2) some: $1 tenant.
SELECT d.doc_id, v.doc_version_id, d.source_type, d.created_at, d.tags,
       ARRAY(SELECT o.owner FROM document_owners AS o WHERE o.doc_id = d.doc_id ORDER BY o.owner) AS owners,
       ARRAY(SELECT b.batch_id FROM batch_documents AS b WHERE b.doc_id = d.doc_id ORDER BY b.batch_id) AS batches
FROM document_versions AS v
JOIN documents AS d ON d.doc_id = v.doc_id
WHERE v.tenant_id = $1 AND v.is_active AND d.deleted_at IS NULL
  AND ($2::uuid[] IS NULL OR v.doc_id = ANY ($2))
