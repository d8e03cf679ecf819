-- Documents of one batch ($9).
SELECT l.doc_id, l.created_at AS listed_at FROM batch_documents AS l
WHERE l.tenant_id = $1 AND l.batch_id = $9
  AND {bounds}
ORDER BY {order}
