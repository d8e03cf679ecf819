-- All documents of a tenant ($1). A planner workaround: bounds that are NULL become infinite (`least` and `greatest` ignore
-- NULL) instead of being left out, so that one generic plan uses the index for all values.
SELECT d.doc_id, d.created_at FROM documents AS d
WHERE d.tenant_id = $1 AND d.deleted_at IS NULL
  AND d.created_at >= greatest($2, '-infinity'::timestamptz)
  AND (d.created_at, d.doc_id)
      < (least($3, 'infinity'::timestamptz), least($4, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
ORDER BY d.created_at DESC, d.doc_id DESC
