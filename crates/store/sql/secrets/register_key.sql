-- Returns the id of the current key, and the sealed key of password checks. $1: the id of the process's key, which becomes
-- the current one if the earlier key was never used.
WITH used AS (
    SELECT EXISTS (SELECT FROM secrets WHERE key_id <> '')
        OR EXISTS (SELECT FROM ingestion_runs WHERE password_check IS NOT NULL)
        OR EXISTS (SELECT FROM document_owners WHERE password_check IS NOT NULL) AS is_used
),
registered AS (
    INSERT INTO secrets_key (key_check) VALUES ($1)
    ON CONFLICT (only_row) DO UPDATE
    SET key_check = CASE WHEN (SELECT is_used FROM used) THEN secrets_key.key_check ELSE excluded.key_check END,
        -- A running process may use the key of checks at any time: it is dropped only with the key that it came from.
        check_key = CASE WHEN (SELECT is_used FROM used) OR secrets_key.key_check = excluded.key_check
                         THEN secrets_key.check_key END
    RETURNING key_check, check_key
)
SELECT key_check, check_key FROM registered
