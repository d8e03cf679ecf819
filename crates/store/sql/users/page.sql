-- One page of a tenant's users, oldest first, after the cursor ($2, $3) when there is one.
SELECT user_id, tenant_id, email, role, created_at, updated_at, deactivated_at
FROM users
WHERE tenant_id = $1
  AND ($2::timestamptz IS NULL OR (created_at, user_id) > ($2, $3))
ORDER BY created_at, user_id
OFFSET $4 LIMIT $5
