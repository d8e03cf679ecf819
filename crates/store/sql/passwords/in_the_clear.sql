-- Some runs whose password is not sealed: $1 how many.
SELECT run_id, tenant_id, doc_id, content_sha256, config ->> 'created_by' AS created_by, password
FROM ingestion_runs WHERE password IS NOT NULL
LIMIT $1 FOR UPDATE SKIP LOCKED
