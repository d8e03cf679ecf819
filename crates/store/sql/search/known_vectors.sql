-- Existing vectors of texts: $1 tenant, $2 model, $3 the hashes of the texts.
SELECT DISTINCT ON (content_key) content_key, embedding
FROM chunk_vectors
WHERE tenant_id = $1 AND model = $2 AND content_key = ANY ($3)
