-- Replaces an expired row with the same key.
INSERT INTO idempotency_keys (tenant_id, actor, key, request_hash, outcome, expires_at)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (tenant_id, actor, key) DO UPDATE
SET request_hash = excluded.request_hash, outcome = excluded.outcome, expires_at = excluded.expires_at
