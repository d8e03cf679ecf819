-- Records that a document ($3) is contained in another one ($2), and makes the owners of that one its owners: $1 tenant,
-- $4 its file name there, $5 now.
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
