-- Replaces the tags of a document, for all its owners: $1 tenant, $2 document, $3 tags, $4 now.
WITH owners AS (
    UPDATE document_owners AS o SET tags = $3
    FROM documents AS d
    WHERE o.tenant_id = $1 AND o.doc_id = $2 AND d.doc_id = o.doc_id AND d.deleted_at IS NULL
)
UPDATE documents SET tags = $3, revision = revision + 1, updated_at = $4
WHERE tenant_id = $1 AND doc_id = $2 AND deleted_at IS NULL
