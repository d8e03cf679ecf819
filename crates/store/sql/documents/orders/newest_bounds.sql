-- Documents from $2 on and before the document ($3, $4), or before the moment $3. Bounds that are not given (null, which
-- `least` and `greatest` skip) are infinite rather than left out, so that a generic plan uses them too.
l.created_at >= greatest($2, '-infinity'::timestamptz)
  AND (l.created_at, l.doc_id)
      < (least($3, 'infinity'::timestamptz), least($4, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
