-- No row when the key was revoked before: it keeps its first date. $1 tenant, $2 key, $3 now.
UPDATE api_keys SET revoked_at = $3
WHERE tenant_id = $1 AND api_key_id = $2 AND revoked_at IS NULL
