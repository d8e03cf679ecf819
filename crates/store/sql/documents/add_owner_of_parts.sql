-- Whoever owns a document owns what came within it: $1 tenant, $2 owner, $3 document, $4 now.
WITH RECURSIVE within AS (
    SELECT p.doc_id, p.name FROM document_parts AS p WHERE p.tenant_id = $1 AND p.parent_doc_id = $3
    UNION
    SELECT p.doc_id, p.name FROM within JOIN document_parts AS p ON p.parent_doc_id = within.doc_id
    WHERE p.tenant_id = $1
)
INSERT INTO document_owners (tenant_id, owner, doc_id, created_at, title, filename, source)
SELECT DISTINCT ON (within.doc_id) $1, $2, within.doc_id, $4, within.name, within.name, 'attachment'
FROM within ORDER BY within.doc_id, within.name
ON CONFLICT DO NOTHING
RETURNING doc_id
