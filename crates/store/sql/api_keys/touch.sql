-- Many keys at once; a late writer does not set the clock back.
UPDATE api_keys SET last_used_at = greatest(api_keys.last_used_at, used.at)
FROM unnest($1::uuid[], $2::timestamptz[]) AS used (api_key_id, at)
WHERE api_keys.api_key_id = used.api_key_id
