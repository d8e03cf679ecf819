INSERT INTO batches (batch_id, tenant_id, name, owner, status, webhook_url, schema_mapping, dedupe, pipeline,
                     expected, created_at, updated_at)
VALUES ($1, $2, $3, $4, 'open', $5, $6, $7, $8, $9, $10, $10)
