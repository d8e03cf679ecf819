-- The documents of a batch ($2) with their results, in the order in which they were added, after the cursor ($3, $4).
-- Deleted documents are left out. Where the scope is limited to an owner ($7), titles and file names are the owner's, or
-- those of the submission.
SELECT bd.doc_id, bd.run_id, bd.outcome, bd.added_at, d.status,
       CASE WHEN $7::text IS NULL THEN d.title ELSE coalesce(o.title, bd.title) END AS title,
       CASE WHEN $7::text IS NULL THEN d.filename ELSE coalesce(o.filename, bd.filename) END AS filename,
       run.status AS run_status, run.error, run.stats, run.finished_at
FROM batch_documents AS bd JOIN documents AS d ON d.doc_id = bd.doc_id AND d.deleted_at IS NULL
LEFT JOIN document_owners AS o ON o.doc_id = bd.doc_id AND o.owner = $7
LEFT JOIN ingestion_runs AS run ON run.run_id = bd.run_id
WHERE bd.tenant_id = $1 AND bd.batch_id = $2
  AND ($3::timestamptz IS NULL OR (bd.added_at, bd.doc_id) > ($3, $4))
ORDER BY bd.added_at, bd.doc_id
OFFSET $5 LIMIT $6
