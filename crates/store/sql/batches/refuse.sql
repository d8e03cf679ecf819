-- Counts a file that was refused, so that the batch does not wait for it. $1 tenant, $2 batch, $3 now.
UPDATE batches SET offered = offered + 1, refused = refused + 1, updated_at = $3
WHERE tenant_id = $1 AND batch_id = $2
RETURNING batch_id, tenant_id, status, expected, offered, refused, documents, succeeded, failed
