-- A file was offered and refused: the batch must not wait for it.
UPDATE batches SET offered = offered + 1, refused = refused + 1, updated_at = $3
WHERE tenant_id = $1 AND batch_id = $2
RETURNING batch_id, tenant_id, status, expected, offered, refused, documents, succeeded, failed
