-- Gives a document ($2) that is identified by its content an identity of its own, `document://…`: its content is about to
-- change, and later uploads of the old or the new content must not refer to this document. A document that is identified
-- by its location in a source keeps that identity. Locks the row. $1 tenant.
UPDATE documents
SET source_uri = CASE WHEN source_uri LIKE 'upload://%' THEN 'document://' || doc_id ELSE source_uri END
WHERE tenant_id = $1 AND doc_id = $2 AND deleted_at IS NULL
RETURNING source_uri
