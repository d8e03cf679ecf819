SELECT user_id, tenant_id, email, role, created_at, updated_at, deactivated_at
FROM users WHERE tenant_id = $1 AND user_id = $2
