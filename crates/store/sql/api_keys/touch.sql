-- Sets when many keys were last used, and locks them in the order of their ids, so that two servers cannot deadlock. A
-- late report does not replace a newer one.
WITH used AS (
    SELECT * FROM unnest($1::uuid[], $2::timestamptz[]) AS used (api_key_id, at)
),
locked AS (
    SELECT api_key_id FROM api_keys
    WHERE api_key_id IN (SELECT api_key_id FROM used)
    ORDER BY api_key_id
    FOR NO KEY UPDATE
)
UPDATE api_keys SET last_used_at = greatest(api_keys.last_used_at, used.at)
FROM locked JOIN used USING (api_key_id)
WHERE api_keys.api_key_id = locked.api_key_id
