-- What the last stage of reading left of a document: of the run that is served, else of the latest one.
-- $1 tenant, $2 document, $3 the stage.
SELECT run.run_id, stages.artifacts, run.config, run.password
FROM ingestion_runs AS run
JOIN stages ON stages.run_id = run.run_id AND stages.name = $3 AND stages.status = 'succeeded'
LEFT JOIN document_versions AS version ON version.run_id = run.run_id AND version.is_active
WHERE run.tenant_id = $1 AND run.doc_id = $2
ORDER BY version.run_id IS NULL, run.created_at DESC, run.run_id DESC
LIMIT 1
