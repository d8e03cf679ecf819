-- Documents of one kind of file ($6).
SELECT f.doc_id, f.created_at FROM document_facets AS f
WHERE f.tenant_id = $1 AND f.facet = 'type' AND f.value = $6
  AND f.created_at >= greatest($2, '-infinity'::timestamptz)
  AND (f.created_at, f.doc_id)
      < (least($3, 'infinity'::timestamptz), least($4, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
ORDER BY f.created_at DESC, f.doc_id DESC
