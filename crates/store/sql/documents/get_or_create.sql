-- Returns the document with this identity, and inserts it if it does not exist. The update does not change an existing row:
-- it locks the row until the transaction ends, so that of two submissions of the same content one decides after the other.
INSERT INTO documents (doc_id, tenant_id, file_kind, source_uri, title, source, filename, mime, bytes_len,
                       status, created_at, updated_at, tags)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'uploaded', $10, $10, $11)
ON CONFLICT (tenant_id, source_uri) DO UPDATE SET updated_at = documents.updated_at
RETURNING doc_id, file_kind, title, xmax = 0 AS is_new, deleted_at IS NOT NULL AS is_deleted
