-- One page of a tenant's log, newest first, after the cursor ($8, $9) when there is one, with the current names of the
-- actors.
WITH page AS (
    SELECT audit_id, ts, action, actor, user_id, entity_type, entity_id, detail, trace_id, shard, position, hash
    FROM audit_log
    WHERE tenant_id = $1
      AND ($2::text IS NULL OR action = $2)
      AND ($3::text[] IS NULL OR actor = ANY ($3))
      AND ($4::text IS NULL OR entity_type = $4)
      AND ($5::uuid IS NULL OR entity_id = $5)
      AND ($6::timestamptz IS NULL OR ts >= $6)
      AND ($7::timestamptz IS NULL OR ts < $7)
      AND ($8::timestamptz IS NULL OR (ts, audit_id) < ($8, $9))
    ORDER BY ts DESC, audit_id DESC
    OFFSET $10 LIMIT $11
)
SELECT page.*, coalesce(u.email, k.name) AS actor_name
FROM page
LEFT JOIN users AS u ON u.tenant_id = $1 AND u.user_id = page.user_id
LEFT JOIN api_keys AS k ON k.tenant_id = $1
    AND k.api_key_id = CASE WHEN page.actor LIKE 'api\_key:%' THEN split_part(page.actor, ':', 2)::uuid END
ORDER BY page.ts DESC, page.audit_id DESC
