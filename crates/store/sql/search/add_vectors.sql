-- Vectors of chunks that are still there: $1 model, $2 chunks, $3 vectors. Whoever keeps an index hears of it.
WITH new AS (
    SELECT * FROM unnest($2::uuid[], $3::vector[]) AS new (chunk_id, embedding)
),
marked AS (
    UPDATE chunks AS c SET model = $1 FROM new WHERE c.chunk_id = new.chunk_id
    RETURNING c.chunk_id, c.tenant_id, c.doc_id, new.embedding
),
added AS (
    INSERT INTO chunk_vectors (chunk_id, model, tenant_id, embedding)
    SELECT chunk_id, $1, tenant_id, embedding FROM marked
    ON CONFLICT DO NOTHING
)
INSERT INTO search_changes (tenant_id, doc_id) SELECT DISTINCT tenant_id, doc_id FROM marked
