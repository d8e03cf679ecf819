-- Stores what a document taught, instead of what it had taught before. Returns the entry's id, and whether it is new. A
-- deleted document teaches nothing.
WITH learnt_from AS (
    SELECT doc_id FROM documents WHERE tenant_id = $2 AND doc_id = $3 AND deleted_at IS NULL FOR SHARE
),
stored AS (
    INSERT INTO layout_memory (memory_id, tenant_id, doc_id, document_type, entry, learnt_at, last_used_at)
    SELECT $1, $2, doc_id, $4, $5, $6, $6 FROM learnt_from
    ON CONFLICT (tenant_id, doc_id, document_type)
    DO UPDATE SET entry = excluded.entry, learnt_at = excluded.learnt_at, last_used_at = excluded.last_used_at
    RETURNING memory_id
)
SELECT memory_id, memory_id = $1 AS is_first FROM stored
