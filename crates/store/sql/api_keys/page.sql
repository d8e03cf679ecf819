-- One page of a tenant's keys, oldest first, after the cursor ($2, $3) when there is one; each with the email address of
-- the user who is responsible for it.
SELECT k.api_key_id, k.tenant_id, k.name, k.role, k.prefix, k.created_at, k.expires_at, k.last_used_at, k.revoked_at,
       k.created_by_user, u.email AS created_by_email, u.deactivated_at AS creator_deactivated_at
FROM api_keys AS k LEFT JOIN users AS u ON u.user_id = k.created_by_user
WHERE k.tenant_id = $1
  AND ($2::timestamptz IS NULL OR (k.created_at, k.api_key_id) > ($2, $3))
ORDER BY k.created_at, k.api_key_id
OFFSET $4 LIMIT $5
