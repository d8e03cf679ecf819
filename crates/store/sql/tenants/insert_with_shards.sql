-- Inserts a tenant and its 64 audit chain shards; no row when the name is taken.
WITH tenant AS (
    INSERT INTO tenants (tenant_id, name, created_at) VALUES ($1, $2, $3)
    ON CONFLICT (name) DO NOTHING
    RETURNING tenant_id
)
INSERT INTO audit_chain_shards (tenant_id, shard)
SELECT tenant_id, shard FROM tenant, generate_series(0, 63) AS shard
