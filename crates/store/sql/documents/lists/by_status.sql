-- Documents with one status ($5).
SELECT d.doc_id, d.created_at FROM documents AS d
WHERE d.tenant_id = $1 AND d.deleted_at IS NULL AND d.status = $5
  AND d.created_at >= greatest($2, '-infinity'::timestamptz)
  AND (d.created_at, d.doc_id)
      < (least($3, 'infinity'::timestamptz), least($4, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
ORDER BY d.created_at DESC, d.doc_id DESC
