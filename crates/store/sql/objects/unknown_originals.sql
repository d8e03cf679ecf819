-- The ordinals, from 1, of those objects that are not originals of the database: $1 tenants, $2 hashes.
SELECT found.ordinal FROM unnest($1::uuid[], $2::bytea[]) WITH ORDINALITY AS found (tenant_id, sha256, ordinal)
WHERE NOT EXISTS (SELECT FROM blobs AS b WHERE b.tenant_id = found.tenant_id AND b.sha256 = found.sha256)
