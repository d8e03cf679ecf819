-- Tenants whose log has grown since their last checkpoint, when that was taken at $1 or before, or never, or later than $2:
-- before the clock was set back.
WITH grown AS (
    SELECT tenant_id, sum(length)::bigint AS rows FROM audit_lanes GROUP BY tenant_id
), last AS (
    SELECT DISTINCT ON (tenant_id) tenant_id, taken_at, rows FROM audit_checkpoints
    ORDER BY tenant_id, number DESC
)
SELECT tenant_id FROM grown LEFT JOIN last USING (tenant_id)
WHERE grown.rows > 0
  AND (last.rows IS NULL OR (grown.rows <> last.rows AND (last.taken_at <= $1 OR last.taken_at > $2)))
ORDER BY last.taken_at NULLS FIRST, tenant_id
