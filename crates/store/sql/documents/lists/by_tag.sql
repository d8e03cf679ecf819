-- Documents with one tag ($8).
SELECT l.doc_id, l.created_at AS listed_at FROM document_facets AS l
WHERE l.tenant_id = $1 AND l.facet = 'tag' AND l.value = $8
  AND {bounds}
ORDER BY {order}
