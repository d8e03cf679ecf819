-- Marks chunks ($2) that get vectors of a model ($1). The update locks them, so that none is deleted before it gets its
-- vectors. The inserted changes make search indexes read the documents again.
WITH marked AS (
    UPDATE chunks SET model = $1 WHERE chunk_id = ANY ($2) RETURNING chunk_id, tenant_id, doc_id
),
published AS (
    INSERT INTO search_changes (tenant_id, doc_id) SELECT DISTINCT tenant_id, doc_id FROM marked
)
SELECT chunk_id FROM marked
