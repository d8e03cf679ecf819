-- Chunks that have their vectors now; locked, so that none goes away before it gets them. Whoever keeps an
-- index hears of it. $1 model, $2 chunks.
WITH marked AS (
    UPDATE chunks SET model = $1 WHERE chunk_id = ANY ($2) RETURNING chunk_id, tenant_id, doc_id
),
told AS (
    INSERT INTO search_changes (tenant_id, doc_id) SELECT DISTINCT tenant_id, doc_id FROM marked
)
SELECT chunk_id FROM marked
