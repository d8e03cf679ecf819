-- Documents of one owner ($10) by the owner's own title.
SELECT l.doc_id, l.created_at AS listed_at, l.title_key FROM document_owners AS l
WHERE l.tenant_id = $1 AND l.owner = $10
  AND {bounds}
ORDER BY {order}
