-- Appends rows of one tenant, in the given order, all with the time $9. The function sets shard, position and hashes.
SELECT docket_audit_append($1, $2, $3, $4, $5, $6, $7, $8,
    array_fill($9::timestamptz, ARRAY[cardinality($2::uuid[])]), $10)
