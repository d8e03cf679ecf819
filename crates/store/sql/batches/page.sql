SELECT batch_id, name, owner, status, webhook_url, schema_mapping, dedupe, pipeline, expected, offered, refused, documents, succeeded,
       failed, created_at, updated_at, finished_at
FROM batches
WHERE tenant_id = $1 AND ($2::text IS NULL OR owner = $2)
  AND ($3::timestamptz IS NULL OR (created_at, batch_id) < ($3, $4))
ORDER BY created_at DESC, batch_id DESC
OFFSET $5 LIMIT $6
