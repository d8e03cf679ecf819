-- A password that is kept for a document: the latest one that opened it, else the latest. $1 tenant, $2 document.
SELECT run.run_id, run.sealed_password FROM ingestion_runs AS run
WHERE run.tenant_id = $1 AND run.doc_id = $2 AND run.sealed_password IS NOT NULL
ORDER BY docket_opened_by_password(run) DESC, run.created_at DESC, run.run_id DESC
LIMIT 1
