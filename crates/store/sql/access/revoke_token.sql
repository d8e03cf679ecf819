INSERT INTO revoked_tokens (token_id, tenant_id, user_id, revoked_at, expires_at)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (token_id) DO NOTHING
