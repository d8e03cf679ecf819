-- Across tenants: the key is what says which tenant a machine belongs to.
SELECT api_key_id, tenant_id, name, role, prefix, secret_sha256
FROM api_keys WHERE prefix = $1 AND revoked_at IS NULL
