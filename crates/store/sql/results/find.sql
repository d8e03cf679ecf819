-- A result of a document that the scope may see: $1 tenant, $2 document, $3 the owner to whom the scope is limited, or
-- NULL, $4 the version, or NULL for the current one.
SELECT r.result_id, r.doc_id, r.run_id, r.result_version, r.payload, r.document_type, r.type_version, r.state,
       r.is_reviewed, r.sampled_for_review, r.promoted_from, r.created_at
FROM results AS r
JOIN documents AS d ON d.tenant_id = $1 AND d.doc_id = r.doc_id AND d.deleted_at IS NULL
WHERE r.tenant_id = $1 AND r.doc_id = $2
  AND CASE WHEN $4::int IS NULL THEN r.state = 'current' ELSE r.result_version = $4 END
  AND ($3::text IS NULL OR EXISTS (
      SELECT FROM document_owners AS o WHERE o.doc_id = r.doc_id AND o.owner = $3))
