-- Which of these objects are no originals of the database, by their places in the lists: $1 tenants, $2 hashes.
SELECT found.place FROM unnest($1::uuid[], $2::bytea[]) WITH ORDINALITY AS found (tenant_id, sha256, place)
WHERE NOT EXISTS (SELECT FROM blobs AS b WHERE b.tenant_id = found.tenant_id AND b.sha256 = found.sha256)
