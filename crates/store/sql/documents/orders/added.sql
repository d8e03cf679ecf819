-- Uploaded from $2 on and before $3, for lists that are not in the order of upload.
coalesce(o.created_at, d.created_at) >= greatest($2, '-infinity'::timestamptz)
       AND coalesce(o.created_at, d.created_at) < least($3, 'infinity'::timestamptz)
