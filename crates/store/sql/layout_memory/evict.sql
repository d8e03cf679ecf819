-- Removes entries beyond the number that a tenant may have: first those that were wrong more often than right, then
-- those that were not used for the longest time.
WITH judged AS (
    SELECT memory.memory_id, memory.last_used_at,
           coalesce(sum(counts.wrong_count), 0) > coalesce(sum(counts.right_count), 0) AS is_bad
    FROM layout_memory AS memory LEFT JOIN layout_memory_counts AS counts USING (memory_id)
    WHERE memory.tenant_id = $1
    GROUP BY memory.memory_id
),
surplus AS (
    SELECT memory_id FROM judged ORDER BY is_bad, last_used_at DESC, memory_id DESC OFFSET $2
)
DELETE FROM layout_memory WHERE memory_id IN (SELECT memory_id FROM surplus)
