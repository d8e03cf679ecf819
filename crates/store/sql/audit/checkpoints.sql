-- A tenant's checkpoints after number $2, in order.
SELECT number, taken_at, rows, statement, signature, public_key FROM audit_checkpoints
WHERE tenant_id = $1 AND number > $2
ORDER BY number
LIMIT $3
