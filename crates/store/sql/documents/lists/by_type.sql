-- Documents of one file type ($6).
SELECT l.doc_id, l.created_at AS listed_at FROM document_facets AS l
WHERE l.tenant_id = $1 AND l.facet = 'type' AND l.value = $6
  AND {bounds}
ORDER BY {order}
