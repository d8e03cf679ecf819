-- The entries whose fingerprints share most bands with the given ones.
WITH shared AS (
    SELECT memory_id, count(*) AS bands FROM layout_memory_bands
    WHERE tenant_id = $1 AND band = ANY ($2)
    GROUP BY memory_id
)
SELECT memory_id, doc_id, document_type, entry, learnt_at, last_used_at,
       -- By field: how often it was right, and how often wrong.
       coalesce((
           SELECT jsonb_object_agg(field, jsonb_build_array(right_count, wrong_count))
           FROM layout_memory_counts AS counts WHERE counts.memory_id = memory.memory_id
       ), '{}') AS counts
FROM shared JOIN layout_memory AS memory USING (memory_id)
WHERE memory.tenant_id = $1
ORDER BY bands DESC, last_used_at DESC, memory_id
LIMIT $3
