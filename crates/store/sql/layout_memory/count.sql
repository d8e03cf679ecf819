-- Adds to the counts of one field of an entry. An entry that was evicted meanwhile is not counted.
INSERT INTO layout_memory_counts AS counts (tenant_id, memory_id, field, right_count, wrong_count)
SELECT tenant_id, memory_id, $3, $4, $5 FROM layout_memory WHERE tenant_id = $1 AND memory_id = $2
ON CONFLICT (memory_id, field) DO UPDATE
SET right_count = counts.right_count + excluded.right_count, wrong_count = counts.wrong_count + excluded.wrong_count
