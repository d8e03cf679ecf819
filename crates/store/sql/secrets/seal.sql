-- Replaces a sealed secret: $1 tenant, $2 purpose, $3 id, $4 the id of the key, $5 the sealed secret, $6 now.
UPDATE secrets SET key_id = $4, sealed = $5, updated_at = $6
WHERE tenant_id = $1 AND purpose = $2 AND secret_id = $3
