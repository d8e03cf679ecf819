-- Some plaintext passwords of runs, at most $1.
SELECT run.run_id, run.tenant_id, run.doc_id, run.content_sha256, run.config ->> 'created_by' AS created_by,
       convert_from(secret.sealed, 'UTF8') AS password
FROM secrets AS secret
JOIN ingestion_runs AS run ON run.run_id = secret.secret_id
WHERE secret.key_id = '' AND secret.purpose = 'document_password'
LIMIT $1 FOR UPDATE OF secret SKIP LOCKED
