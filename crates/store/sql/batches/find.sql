SELECT batch_id, name, owner, status, webhook_url, schema_mapping, dedupe, pipeline, expected, offered, refused, documents, succeeded,
       failed, created_at, updated_at, finished_at
FROM batches WHERE tenant_id = $1 AND batch_id = $2 AND ($3::text IS NULL OR owner = $3)
