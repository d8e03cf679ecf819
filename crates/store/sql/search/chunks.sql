-- The chunks of the active versions of documents: $1 tenant, $2 documents.
SELECT v.doc_id, c.chunk_id, c.terms
FROM document_versions AS v
JOIN chunks AS c ON c.tenant_id = v.tenant_id AND c.run_id = v.chunks_run_id
WHERE v.tenant_id = $1 AND v.is_active
  AND v.doc_id = ANY ($2)
