-- Documents with one status ($5).
SELECT l.doc_id, l.created_at AS listed_at FROM documents AS l
WHERE l.tenant_id = $1 AND l.deleted_at IS NULL AND l.status = $5
  AND {bounds}
ORDER BY {order}
