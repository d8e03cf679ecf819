-- Replaces a plaintext password by a sealed one: $1 run, $2 sealed, $3 check, $4 document, $5 the actor who started the
-- run and so knew the password, $6 the id of the key. Runs of that time did not report whether they needed the password: it
-- counts as needed.
WITH owner AS (
    UPDATE document_owners SET password_check = $3
    WHERE doc_id = $4 AND owner = $5 AND password_check IS NULL
),
sealed AS (
    UPDATE secrets SET sealed = $2, key_id = $6 WHERE purpose = 'document_password' AND secret_id = $1
)
UPDATE ingestion_runs
SET password_check = $3,
    stats = CASE WHEN status = 'succeeded' THEN stats || '{"password_used": true}' ELSE stats END
WHERE run_id = $1
