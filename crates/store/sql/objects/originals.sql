-- Originals in the order of their keys, after ($1, $2), at most $3, each with the latest document that has it. An original
-- that no run refers to was announced and perhaps never published.
SELECT b.tenant_id, b.sha256, b.bytes_len, latest.doc_id
FROM blobs AS b
LEFT JOIN LATERAL (
    SELECT r.doc_id FROM ingestion_runs AS r
    WHERE r.tenant_id = b.tenant_id AND r.content_sha256 = b.sha256
    ORDER BY r.created_at DESC LIMIT 1) AS latest ON true
WHERE (b.tenant_id, b.sha256) > ($1, $2)
ORDER BY b.tenant_id, b.sha256
LIMIT $3
