-- One page of a tenant's runs, newest first, after the cursor ($4, $5). Filters: $2 status, $3 owner, $6 document. Runs of
-- deleted documents are left out.
SELECT r.run_id, r.tenant_id, r.doc_id, r.status, r.run_type, r.pipeline, r.parent_run_id, r.reason, r.initiated_by,
       r.batch_id, r.config, r.stats, r.error, r.created_at, r.started_at, r.updated_at, r.finished_at,
       o.title AS own_title, o.filename AS own_filename,
       CASE WHEN r.status = 'failed' THEN (
           SELECT j.error_code FROM jobs AS j WHERE j.run_id = r.run_id AND j.status = 'DEAD' LIMIT 1) END AS error_code
FROM ingestion_runs AS r
LEFT JOIN document_owners AS o ON o.doc_id = r.doc_id AND o.owner = $3
WHERE r.tenant_id = $1
  AND ($2::text IS NULL OR r.status = $2)
  AND ($3::text IS NULL OR o.owner IS NOT NULL)
  AND ($4::timestamptz IS NULL OR (r.created_at, r.run_id) < ($4, $5))
  AND ($6::uuid IS NULL OR r.doc_id = $6)
  AND NOT EXISTS (SELECT FROM documents AS d WHERE d.doc_id = r.doc_id AND d.deleted_at IS NOT NULL)
ORDER BY r.created_at DESC, r.run_id DESC
OFFSET $7 LIMIT $8
