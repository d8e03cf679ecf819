-- A key, with the email address of the user who is responsible for it. $1 tenant, $2 key.
SELECT k.api_key_id, k.tenant_id, k.name, k.role, k.prefix, k.created_at, k.expires_at, k.last_used_at, k.revoked_at,
       k.created_by_user, u.email AS created_by_email, u.deactivated_at AS creator_deactivated_at
FROM api_keys AS k LEFT JOIN users AS u ON u.user_id = k.created_by_user
WHERE k.tenant_id = $1 AND k.api_key_id = $2
