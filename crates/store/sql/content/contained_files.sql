-- The files that a document ($2) contains, at any depth: what decides whether they are masked, and whether they were
-- deleted. The document's original contains their bytes. $1 tenant.
WITH RECURSIVE contained AS (
    SELECT p.doc_id FROM document_parts AS p WHERE p.tenant_id = $1 AND p.parent_doc_id = $2
    UNION
    SELECT p.doc_id FROM document_parts AS p JOIN contained ON p.parent_doc_id = contained.doc_id WHERE p.tenant_id = $1
)
SELECT d.file_kind AS kind,
       ARRAY(SELECT n.filename FROM document_file_names AS n WHERE n.doc_id = d.doc_id) || d.filename AS file_names,
       coalesce(latest.config -> 'masks', '[]') AS masks,
       d.deleted_at IS NOT NULL AS is_deleted
FROM contained
JOIN documents AS d ON d.tenant_id = $1 AND d.doc_id = contained.doc_id
LEFT JOIN LATERAL (
    SELECT r.config FROM ingestion_runs AS r WHERE r.tenant_id = $1 AND r.doc_id = d.doc_id
    ORDER BY r.created_at DESC, r.run_id DESC LIMIT 1) AS latest ON true
