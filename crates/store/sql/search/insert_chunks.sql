-- Inserts the chunks of one run: $1 tenant, $2 document, $3 run, $4 now, $5 … $13 the chunks, $14 the model of their
-- vectors, or NULL.
WITH first_model AS (
    UPDATE tenants SET search_model = $14
    WHERE tenant_id = $1 AND search_model IS NULL AND $14::text IS NOT NULL
)
INSERT INTO chunks (chunk_id, tenant_id, doc_id, run_id, position, heading, text, tokens, first_page,
                    last_page, areas, terms, model, created_at)
SELECT chunk_id, $1, $2, $3, position, heading, text, tokens, first_page, last_page, areas, terms, $14, $4
FROM unnest($5::uuid[], $6::int[], $7::jsonb[], $8::text[], $9::int[], $10::int[], $11::int[],
            $12::jsonb[], $13::bytea[])
    AS c (chunk_id, position, heading, text, tokens, first_page, last_page, areas, terms)
