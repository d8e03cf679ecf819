-- What opens a document's original: as its latest run was told.
SELECT password FROM ingestion_runs WHERE tenant_id = $1 AND doc_id = $2
ORDER BY created_at DESC, run_id DESC LIMIT 1
