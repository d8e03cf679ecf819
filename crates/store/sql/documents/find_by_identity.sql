-- The document of a tenant ($1) with an identity ($2) that is not deleted. With $3, only for that owner.
SELECT d.doc_id FROM documents AS d
WHERE d.tenant_id = $1 AND d.source_uri = $2 AND d.deleted_at IS NULL
  AND ($3::text IS NULL OR EXISTS (SELECT FROM document_owners AS o WHERE o.doc_id = d.doc_id AND o.owner = $3))
