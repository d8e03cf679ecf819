SELECT api_key_id, tenant_id, name, role, prefix, created_at, last_used_at, revoked_at
FROM api_keys WHERE tenant_id = $1 AND api_key_id = $2
