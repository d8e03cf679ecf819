-- Locks the runs that are about to change ($1), then their documents, each in the order of their ids, so that two
-- transactions cannot deadlock. versions.sql reads what depends on the locks: as a later statement, it sees everything
-- that was committed before they were granted.
WITH run AS MATERIALIZED (
    SELECT run_id, tenant_id, doc_id, status, created_at, content_sha256 IS NOT NULL AS has_content
    FROM ingestion_runs
    WHERE run_id = ANY ($1)
    ORDER BY run_id
    FOR NO KEY UPDATE
),
document AS MATERIALIZED (
    SELECT doc_id, status, deleted_at IS NOT NULL AS is_deleted
    FROM documents
    WHERE doc_id = ANY (ARRAY(SELECT run.doc_id FROM run))
    ORDER BY doc_id
    FOR NO KEY UPDATE
)
SELECT run.*, document.status AS document_status, document.is_deleted
FROM run LEFT JOIN document ON document.doc_id = run.doc_id
