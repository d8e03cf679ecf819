-- The vectors, by one model ($3), of the chunks of the active versions of documents: $1 tenant, $2 documents. In the order
-- of the windows of each chunk.
SELECT e.chunk_id, e.embedding
FROM document_versions AS v
JOIN chunks AS c ON c.tenant_id = v.tenant_id AND c.run_id = v.chunks_run_id
JOIN chunk_vectors AS e ON e.chunk_id = c.chunk_id AND e.model = $3
WHERE v.tenant_id = $1 AND v.is_active
  AND v.doc_id = ANY ($2)
ORDER BY e.chunk_id, e.part
