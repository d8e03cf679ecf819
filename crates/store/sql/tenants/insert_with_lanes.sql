-- A tenant and the lanes of its audit chain; nothing when the name is taken.
WITH tenant AS (
    INSERT INTO tenants (tenant_id, name, created_at) VALUES ($1, $2, $3)
    ON CONFLICT (name) DO NOTHING
    RETURNING tenant_id
)
INSERT INTO audit_lanes (tenant_id, lane)
SELECT tenant_id, lane FROM tenant, generate_series(0, 63) AS lane
