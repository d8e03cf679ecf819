-- What of them can be found, with the vectors of one model ($3): $1 tenant, $2 all or some documents.
SELECT v.doc_id, c.chunk_id, c.terms, e.embedding
FROM document_versions AS v
JOIN chunks AS c ON c.tenant_id = v.tenant_id AND c.run_id = v.run_id
LEFT JOIN chunk_vectors AS e ON e.chunk_id = c.chunk_id AND e.model = $3
WHERE v.tenant_id = $1 AND v.is_active
  AND ($2::uuid[] IS NULL OR v.doc_id = ANY ($2))
