-- Inserts vectors of windows of chunks: $1 tenant, $2 model, $3 chunks, $4 numbers of the windows (column `part`), $5 hashes
-- of the texts, $6 vectors.
INSERT INTO chunk_vectors (chunk_id, model, part, tenant_id, content_key, embedding)
SELECT v.chunk_id, $2, v.part, $1, v.content_key, v.embedding
FROM unnest($3::uuid[], $4::int[], $5::bytea[], $6::vector[]) AS v (chunk_id, part, content_key, embedding)
ON CONFLICT DO NOTHING
