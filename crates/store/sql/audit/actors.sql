-- The actors with the name $2, as the log names them: the user with that address, and the keys with that name. $1 tenant.
SELECT user_id::text FROM users WHERE tenant_id = $1 AND email = lower($2)
UNION ALL
SELECT 'api_key:' || api_key_id FROM api_keys WHERE tenant_id = $1 AND lower(name) = lower($2)
