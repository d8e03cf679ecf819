-- Documents before $3 and after the document ($2, $4), or from the moment $2 on. No document has the nil id.
l.created_at < least($3, 'infinity'::timestamptz)
  AND (l.created_at, l.doc_id)
      > (greatest($2, '-infinity'::timestamptz), greatest($4, '00000000-0000-0000-0000-000000000000'::uuid))
