-- A stored password of a document's content: the latest one that opened it, otherwise the latest one. $1 tenant,
-- $2 document, $3 the content.
SELECT run.run_id, secret.sealed FROM ingestion_runs AS run
JOIN secrets AS secret
  ON secret.tenant_id = run.tenant_id AND secret.purpose = 'document_password' AND secret.secret_id = run.run_id
WHERE run.tenant_id = $1 AND run.doc_id = $2 AND run.content_sha256 = $3
ORDER BY docket_opened_by_password(run) DESC, run.created_at DESC, run.run_id DESC
LIMIT 1
