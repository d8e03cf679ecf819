-- The heads of a tenant's chain shards that have rows. $1 tenant.
SELECT shard, length, encode(head, 'hex') AS head FROM audit_chain_shards
WHERE tenant_id = $1 AND length > 0
ORDER BY shard
