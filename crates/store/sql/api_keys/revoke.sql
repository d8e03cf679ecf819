-- Nothing when the key was revoked before: it keeps its first date, and the log its one row.
UPDATE api_keys SET revoked_at = $3
WHERE tenant_id = $1 AND api_key_id = $2 AND revoked_at IS NULL
