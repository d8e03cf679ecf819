-- Some secrets that were sealed with another key: $1 the id of the current key, $2, $3 and $4 the secret to continue after,
-- $5 how many.
SELECT tenant_id, purpose, secret_id, sealed FROM secrets
WHERE key_id <> $1 AND key_id <> '' AND (tenant_id, purpose, secret_id) > ($2, $3, $4)
ORDER BY tenant_id, purpose, secret_id
LIMIT $5 FOR UPDATE
