-- Rows of one tenant, in the order given and all at the moment $9; lane, position and hashes are the
-- function's business.
SELECT docket_audit_append($1, $2, $3, $4, $5, $6, $7, $8,
    array_fill($9::timestamptz, ARRAY[cardinality($2::uuid[])]), $10)
