-- The user with an email address, of any tenant: the address determines the tenant.
SELECT user_id, tenant_id, email, role, created_at, updated_at, deactivated_at, password_hash,
       session_epoch
FROM users WHERE email = $1
