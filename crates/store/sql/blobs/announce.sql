-- Records that this content is about to be published, and returns the tenant's rules. Waits for a cleanup task that is
-- deleting it.
WITH announced AS (
    INSERT INTO blobs (tenant_id, sha256, bytes_len, mime, created_at, touched_at)
    VALUES ($1, $2, $3, $4, $5, $5)
    ON CONFLICT (tenant_id, sha256) DO UPDATE SET touched_at = excluded.touched_at
)
SELECT rules FROM tenants WHERE tenant_id = $1
