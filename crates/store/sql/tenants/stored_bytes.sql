-- What counts against the storage quota: the originals of documents that are not deleted. A document is its content, so
-- the same content counts once.
SELECT coalesce(sum(bytes_len), 0)::bigint FROM documents WHERE tenant_id = $1 AND deleted_at IS NULL
