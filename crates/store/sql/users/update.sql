-- Each of these changes ends the user's sessions, because their tokens have the old role or outlive the old password.
UPDATE users
SET role              = coalesce($3, role),
    password_hash     = coalesce($4, password_hash),
    deactivated_at    = CASE WHEN $5::boolean IS NULL THEN deactivated_at
                             WHEN $5 THEN NULL
                             ELSE coalesce(deactivated_at, $6) END,
    session_epoch     = session_epoch + 1,
    tokens_revoked_at = $6,
    updated_at        = $6
WHERE tenant_id = $1 AND user_id = $2
RETURNING user_id, tenant_id, email, role, created_at, updated_at, deactivated_at, session_epoch
