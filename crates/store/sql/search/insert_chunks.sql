-- The chunks of one run, and their vectors: $1 tenant, $2 document, $3 run, $4 now, $5 … $14 the chunks,
-- $15 their vectors (null: none), $16 the model that made them.
WITH chunk AS (
    SELECT * FROM unnest($5::uuid[], $6::int[], $7::jsonb[], $8::text[], $9::int[], $10::int[], $11::int[],
                         $12::jsonb[], $13::bytea[], $14::bytea[], $15::vector[])
        AS c (chunk_id, position, heading, text, tokens, first_page, last_page, areas, terms, content_key,
              embedding)
),
added AS (
    INSERT INTO chunks (chunk_id, tenant_id, doc_id, run_id, position, heading, text, tokens, first_page,
                        last_page, areas, terms, content_key, model, created_at)
    SELECT chunk_id, $1, $2, $3, position, heading, text, tokens, first_page, last_page, areas, terms,
           content_key, CASE WHEN embedding IS NOT NULL THEN $16 END, $4
    FROM chunk
),
first_model AS (
    UPDATE tenants SET search_model = $16
    WHERE tenant_id = $1 AND search_model IS NULL AND $16::text IS NOT NULL
)
INSERT INTO chunk_vectors (chunk_id, model, tenant_id, embedding)
SELECT chunk_id, $16, $1, embedding FROM chunk WHERE embedding IS NOT NULL AND $16::text IS NOT NULL
