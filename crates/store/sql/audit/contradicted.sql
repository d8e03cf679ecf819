-- The ordinals, from 1, of those shard heads ($2 shards, $3 lengths, $4 hashes in hexadecimal) that the log of the tenant
-- ($1) does not have.
SELECT stated.ordinal
FROM unnest($2::smallint[], $3::bigint[], $4::text[]) WITH ORDINALITY AS stated (shard, position, head, ordinal)
LEFT JOIN audit_log AS log
    ON log.tenant_id = $1 AND log.shard = stated.shard AND log.position = stated.position
WHERE encode(log.hash, 'hex') IS DISTINCT FROM stated.head
ORDER BY stated.ordinal
