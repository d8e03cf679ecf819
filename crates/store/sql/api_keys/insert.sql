INSERT INTO api_keys (api_key_id, tenant_id, name, role, prefix, secret_sha256, created_by, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
RETURNING api_key_id, tenant_id, name, role, prefix, created_at, last_used_at, revoked_at
