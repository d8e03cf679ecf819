-- Gives a document ($2) that is identified by its content an identity of its own, `document://…`: its content is about
-- to change, and whoever uploads the old or the new content does not mean this document. One that is identified by its
-- place in a source stays that. Locks the row. $1 tenant.
UPDATE documents
SET source_uri = CASE WHEN source_uri LIKE 'upload://%' THEN 'document://' || doc_id ELSE source_uri END
WHERE tenant_id = $1 AND doc_id = $2 AND deleted_at IS NULL
RETURNING source_uri
