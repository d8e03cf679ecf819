-- Across tenants: the address is what says which tenant somebody belongs to.
SELECT user_id, tenant_id, email, role, created_at, updated_at, deactivated_at, password_hash,
       session_epoch
FROM users WHERE email = $1
