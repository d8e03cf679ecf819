-- One page of a tenant's keys, oldest first, after the cursor ($2, $3) when there is one.
SELECT api_key_id, tenant_id, name, role, prefix, created_at, last_used_at, revoked_at
FROM api_keys
WHERE tenant_id = $1
  AND ($2::timestamptz IS NULL OR (created_at, api_key_id) > ($2, $3))
ORDER BY created_at, api_key_id
OFFSET $4 LIMIT $5
