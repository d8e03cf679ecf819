SELECT r.run_id, r.tenant_id, r.doc_id, r.status, r.run_type, r.pipeline, r.parent_run_id, r.reason, r.initiated_by,
       r.batch_id, r.config, r.stats, r.error, r.created_at, r.started_at, r.updated_at, r.finished_at
FROM ingestion_runs AS r
WHERE r.tenant_id = $1 AND r.run_id = $2
  AND ($3::text IS NULL OR EXISTS (
      SELECT FROM document_owners AS o WHERE o.doc_id = r.doc_id AND o.owner = $3))
