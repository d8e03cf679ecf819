-- No row when the address is taken, in any tenant.
INSERT INTO users (user_id, tenant_id, email, password_hash, role, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $6)
ON CONFLICT (email) DO NOTHING
RETURNING user_id, tenant_id, email, role, created_at, updated_at, deactivated_at
