-- Documents of a batch ($9).
SELECT b.doc_id, b.created_at FROM batch_documents AS b
WHERE b.tenant_id = $1 AND b.batch_id = $9
  AND b.created_at >= greatest($2, '-infinity'::timestamptz)
  AND (b.created_at, b.doc_id)
      < (least($3, 'infinity'::timestamptz), least($4, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
ORDER BY b.created_at DESC, b.doc_id DESC
