-- One original that was not touched since $1 and that nothing refers to: no version has it, no run will read it, and all
-- runs that failed on it ended before $2. The row is locked until this transaction ends, so that nothing can refer to it
-- meanwhile.
SELECT tenant_id, sha256 FROM blobs
WHERE touched_at < $1
  AND NOT EXISTS (SELECT FROM document_versions AS v
                  WHERE v.tenant_id = blobs.tenant_id AND v.content_sha256 = blobs.sha256)
  AND NOT EXISTS (SELECT FROM ingestion_runs AS r
                  WHERE r.tenant_id = blobs.tenant_id AND r.content_sha256 = blobs.sha256
                    AND (r.status <> 'failed' OR r.finished_at >= $2))
ORDER BY touched_at
LIMIT 1
FOR UPDATE SKIP LOCKED
