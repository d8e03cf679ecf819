-- The bytes that count against the storage quota of a tenant ($1): the originals of documents that are not deleted. A
-- document is identified by its content, so the same content counts once. A document whose original was updated counts
-- with each of its originals.
SELECT (coalesce((SELECT sum(bytes_len) FROM documents
                  WHERE tenant_id = $1 AND deleted_at IS NULL AND source_uri NOT LIKE 'document://%'), 0)
        + coalesce((SELECT sum(b.bytes_len)
                    FROM (SELECT DISTINCT d.doc_id, run.content_sha256
                          FROM documents AS d JOIN ingestion_runs AS run ON run.doc_id = d.doc_id
                          WHERE d.tenant_id = $1 AND d.deleted_at IS NULL
                            AND d.source_uri LIKE 'document://%') AS had
                    JOIN blobs AS b ON b.tenant_id = $1 AND b.sha256 = had.content_sha256), 0))::bigint
