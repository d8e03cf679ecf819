SELECT request_hash, outcome FROM idempotency_keys
WHERE tenant_id = $1 AND actor = $2 AND key = $3 AND expires_at > $4
