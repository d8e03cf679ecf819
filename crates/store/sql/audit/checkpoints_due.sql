-- The tenants whose log has grown since their last checkpoint, if that was taken at $1 or before, or that have none. A
-- checkpoint later than $2 counts as old: the clock was set back.
WITH grown AS (
    SELECT tenant_id, sum(length)::bigint AS rows FROM audit_chain_shards GROUP BY tenant_id
), last AS (
    SELECT DISTINCT ON (tenant_id) tenant_id, taken_at, rows FROM audit_checkpoints
    ORDER BY tenant_id, number DESC
)
SELECT tenant_id FROM grown LEFT JOIN last USING (tenant_id)
WHERE grown.rows > 0
  AND (last.rows IS NULL OR (grown.rows <> last.rows AND (last.taken_at <= $1 OR last.taken_at > $2)))
ORDER BY last.taken_at NULLS FIRST, tenant_id
