-- Documents from one source ($7).
SELECT l.doc_id, l.created_at AS listed_at FROM document_facets AS l
WHERE l.tenant_id = $1 AND l.facet = 'source' AND l.value = $7
  AND {bounds}
ORDER BY {order}
