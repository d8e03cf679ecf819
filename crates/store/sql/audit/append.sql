-- One row; lane, position and hashes are the function's business.
SELECT docket_audit_append($1, ARRAY[$2::uuid], ARRAY[$3::uuid], ARRAY[$4::text], ARRAY[$5::text],
    ARRAY[$6::uuid], ARRAY[$7::text], ARRAY[$8::jsonb], ARRAY[$9::timestamptz], ARRAY[$10::text])
