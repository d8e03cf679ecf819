-- The valid key with a prefix, of any tenant: the key determines the tenant. No row when the user who is responsible for
-- it was deactivated.
SELECT k.api_key_id, k.tenant_id, k.name, k.role, k.prefix, k.secret_sha256, k.expires_at, k.created_by_user
FROM api_keys AS k LEFT JOIN users AS u ON u.user_id = k.created_by_user
WHERE k.prefix = $1 AND k.revoked_at IS NULL AND u.deactivated_at IS NULL
