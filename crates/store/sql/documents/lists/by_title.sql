-- Every document by its title.
SELECT l.doc_id, l.created_at AS listed_at, l.title_key FROM documents AS l
WHERE l.tenant_id = $1 AND l.deleted_at IS NULL
  AND {bounds}
ORDER BY {order}
