-- The document with this identity, made when there is none. The row stays locked until the end, so of
-- two who hand in the same thing one decides after the other.
INSERT INTO documents (doc_id, tenant_id, source_type, source_uri, title, source, filename, mime, bytes_len,
                       status, created_at, updated_at, tags)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'uploaded', $10, $10, $11)
ON CONFLICT (tenant_id, source_uri) DO UPDATE
SET tags = CASE WHEN excluded.tags = '{}' THEN documents.tags ELSE excluded.tags END,
    title = excluded.title, filename = excluded.filename, updated_at = excluded.updated_at,
    status = CASE WHEN documents.deleted_at IS NULL THEN documents.status ELSE 'uploaded' END,
    deleted_at = NULL
RETURNING doc_id, created_at, xmax = 0 AS is_new
