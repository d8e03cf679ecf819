-- Replaces the title of a document: $1 tenant, $2 document, $3 title, $4 now, $5 owner. Without an owner the title
-- changes for everyone, otherwise only for that owner. Returns whether there is such a document.
WITH found AS (
    SELECT doc_id FROM documents
    WHERE tenant_id = $1 AND doc_id = $2 AND deleted_at IS NULL
    FOR NO KEY UPDATE
),
owners AS (
    UPDATE document_owners AS o SET title = $3
    FROM found
    WHERE o.tenant_id = $1 AND o.doc_id = found.doc_id AND ($5::text IS NULL OR o.owner = $5)
    RETURNING o.doc_id
),
-- The title that those see who are no owner.
shared AS (
    UPDATE documents AS d SET title = $3, revision = d.revision + 1, updated_at = $4
    FROM found
    WHERE d.doc_id = found.doc_id AND $5::text IS NULL
    RETURNING d.doc_id
)
SELECT EXISTS (SELECT FROM owners) OR EXISTS (SELECT FROM shared)
