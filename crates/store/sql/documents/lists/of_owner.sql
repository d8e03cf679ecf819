-- Documents of one owner ($10).
SELECT o.doc_id, o.created_at FROM document_owners AS o
WHERE o.tenant_id = $1 AND o.owner = $10
  AND o.created_at >= greatest($2, '-infinity'::timestamptz)
  AND (o.created_at, o.doc_id)
      < (least($3, 'infinity'::timestamptz), least($4, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
ORDER BY o.created_at DESC, o.doc_id DESC
