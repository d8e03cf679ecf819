-- Vectors that texts have got before: $1 tenant, $2 model, $3 the hashes of the texts.
SELECT DISTINCT ON (c.content_key) c.content_key, e.embedding
FROM chunks AS c
JOIN chunk_vectors AS e ON e.chunk_id = c.chunk_id AND e.model = $2
WHERE c.tenant_id = $1 AND c.content_key = ANY ($3)
