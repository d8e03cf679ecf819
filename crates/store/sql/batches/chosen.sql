-- Of these batches ($3), the latest that the tenant or ($2) one owner has; $4 at most.
SELECT batch_id, name, created_at FROM batches
WHERE tenant_id = $1 AND ($2::text IS NULL OR owner = $2) AND batch_id = ANY ($3)
ORDER BY created_at DESC, batch_id DESC
LIMIT $4
