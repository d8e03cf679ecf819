-- Makes the owner of a document the owner of the files that it contains: $1 tenant, $2 owner, $3 document, $4 now. A
-- contained document whose original was updated (`document://`) has other content now, and is left out.
WITH RECURSIVE parts AS (
    SELECT p.doc_id, p.parent_doc_id, p.name
    FROM document_parts AS p JOIN documents AS d ON d.doc_id = p.doc_id
    WHERE p.tenant_id = $1 AND d.source_uri NOT LIKE 'document://%'
),
within AS (
    SELECT doc_id, name FROM parts WHERE parent_doc_id = $3
    UNION
    SELECT parts.doc_id, parts.name FROM within JOIN parts ON parts.parent_doc_id = within.doc_id
)
INSERT INTO document_owners (tenant_id, owner, doc_id, created_at, title, filename, source)
SELECT DISTINCT ON (within.doc_id) $1, $2, within.doc_id, $4, within.name, within.name, 'attachment'
FROM within ORDER BY within.doc_id, within.name
ON CONFLICT DO NOTHING
RETURNING doc_id
