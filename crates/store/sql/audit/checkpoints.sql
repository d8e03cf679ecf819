-- The checkpoints of a tenant ($1) after number $2, in order, at most $3.
SELECT number, taken_at, rows, statement, signature, public_key FROM audit_checkpoints
WHERE tenant_id = $1 AND number > $2
ORDER BY number
LIMIT $3
