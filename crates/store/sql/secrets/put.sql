-- Stores a secret, if it was sealed with the current key: $1 tenant, $2 purpose, $3 id, $4 the id of the key, $5 the sealed
-- secret, $6 now.
INSERT INTO secrets (tenant_id, purpose, secret_id, key_id, sealed, created_at, updated_at)
SELECT $1, $2, $3, $4, $5, $6, $6 WHERE docket_is_secrets_key($4)
ON CONFLICT (tenant_id, purpose, secret_id) DO UPDATE
SET key_id = excluded.key_id, sealed = excluded.sealed, updated_at = excluded.updated_at
