-- All revocations at or after $1, in one list; without tokens that have expired by $2.
SELECT 'token' AS kind, token_id AS id, expires_at AS moment, 0::bigint AS epoch
FROM revoked_tokens WHERE revoked_at >= $1 AND expires_at > $2
UNION ALL
SELECT 'user', user_id, tokens_revoked_at, session_epoch FROM users WHERE tokens_revoked_at >= $1
UNION ALL
SELECT 'key', api_key_id, revoked_at, 0 FROM api_keys WHERE revoked_at >= $1
