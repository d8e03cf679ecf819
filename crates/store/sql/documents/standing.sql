-- What is served of a document, and the run that works on this very content, if there is one.
SELECT (SELECT content_sha256 FROM document_versions
        WHERE tenant_id = $1 AND doc_id = $2 AND is_active) AS active,
       run.run_id, run.status
FROM (SELECT) AS one
LEFT JOIN LATERAL (
    SELECT run_id, status FROM ingestion_runs
    WHERE tenant_id = $1 AND doc_id = $2 AND content_sha256 = $3 AND status IN ('queued', 'running')
    ORDER BY created_at DESC LIMIT 1) AS run ON true
