-- Adds a document to a batch ($1). When it is submitted again, only its latest run counts. $7: how many files this
-- submission counts as: 1, or 0 for an attachment of another document of the batch, which the expected number of files
-- does not include. $8 title and $9 file name in this submission.
WITH before AS (
    SELECT bd.run_id, run.status, bd.outcome FROM batch_documents AS bd
    LEFT JOIN ingestion_runs AS run ON run.run_id = bd.run_id
    WHERE bd.batch_id = $1 AND bd.doc_id = $2
),
added AS (
    INSERT INTO batch_documents (batch_id, doc_id, tenant_id, run_id, outcome, added_at, created_at, title, filename)
    SELECT $1, $2, $3, $4, $5, $6, d.created_at, $8, $9 FROM documents AS d WHERE d.doc_id = $2
    ON CONFLICT (batch_id, doc_id) DO UPDATE
    SET run_id = excluded.run_id, outcome = excluded.outcome, added_at = excluded.added_at,
        title = excluded.title, filename = excluded.filename
)
UPDATE batches
SET offered = offered + $7,
    documents = documents + (NOT EXISTS (SELECT FROM before))::int,
    succeeded = succeeded + ($4::uuid IS NULL)::int
        - (SELECT count(*) FROM before WHERE run_id IS NULL OR status = 'succeeded')::int,
    failed = failed - (SELECT count(*) FROM before WHERE status = 'failed')::int,
    updated_at = $6
WHERE tenant_id = $3 AND batch_id = $1
RETURNING batch_id, tenant_id, status, expected, offered, refused, documents, succeeded, failed
