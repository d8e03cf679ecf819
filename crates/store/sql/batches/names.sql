-- The latest of these batches ($3) of the tenant ($1) or, with $2, of one owner; at most $4.
SELECT batch_id, name, created_at FROM batches
WHERE tenant_id = $1 AND ($2::text IS NULL OR owner = $2) AND batch_id = ANY ($3)
ORDER BY created_at DESC, batch_id DESC
LIMIT $4
