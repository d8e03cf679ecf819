-- Says that somebody is about to publish this content, and learns the tenant's rules on the way. Waits for
-- a cleanup task who is removing it.
WITH announced AS (
    INSERT INTO blobs (tenant_id, sha256, bytes_len, mime, created_at, touched_at)
    VALUES ($1, $2, $3, $4, $5, $5)
    ON CONFLICT (tenant_id, sha256) DO UPDATE SET touched_at = excluded.touched_at
)
SELECT rules FROM tenants WHERE tenant_id = $1
