-- The chain shards whose recorded head does not match their last row, and rows in shards that are not recorded at all.
-- $1 tenant.
WITH last_rows AS (
    SELECT DISTINCT ON (shard) shard, position, hash, audit_id FROM audit_log
    WHERE tenant_id = $1
    ORDER BY shard, position DESC
)
SELECT coalesce(shards.shard, last_rows.shard) AS shard,
       coalesce(shards.length, 0) AS length,
       coalesce(last_rows.position, 0) AS position,
       last_rows.audit_id
FROM (SELECT * FROM audit_chain_shards WHERE tenant_id = $1) AS shards
FULL JOIN last_rows ON last_rows.shard = shards.shard
WHERE coalesce(shards.length, 0) <> coalesce(last_rows.position, 0)
   OR shards.shard IS NULL
   OR shards.head <> coalesce(last_rows.hash, decode(repeat('00', 32), 'hex'))
ORDER BY 1
