-- Says that a document came within another one, and lets those see it who may see the other: $1 tenant,
-- $2 the other, $3 the document, $4 its name there, $5 now.
WITH part AS (
    INSERT INTO document_parts (parent_doc_id, doc_id, tenant_id, name, added_at)
    VALUES ($2, $3, $1, $4, $5)
    ON CONFLICT DO NOTHING
)
INSERT INTO document_owners (tenant_id, owner, doc_id, created_at, title, filename, source)
SELECT $1, o.owner, $3, $5, $4, $4, 'attachment'
FROM document_owners AS o WHERE o.tenant_id = $1 AND o.doc_id = $2
ON CONFLICT DO NOTHING
RETURNING owner
