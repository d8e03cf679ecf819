-- $8 the actor who created it, $9 the user who is responsible for it.
INSERT INTO api_keys (api_key_id, tenant_id, name, role, prefix, secret_sha256, expires_at, created_by, created_by_user,
                      created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
