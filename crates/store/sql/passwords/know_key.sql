-- Whether the key is the one that passwords are sealed with: $1 its check. The first one is the one, and another
-- takes its place while nothing was sealed with it.
WITH used AS (
    SELECT EXISTS (SELECT FROM ingestion_runs WHERE password_check IS NOT NULL)
        OR EXISTS (SELECT FROM document_owners WHERE password_check IS NOT NULL) AS is_used
),
kept AS (
    INSERT INTO secrets_key (key_check) VALUES ($1)
    ON CONFLICT (only_row) DO UPDATE
    SET key_check = CASE WHEN (SELECT is_used FROM used) THEN secrets_key.key_check ELSE excluded.key_check END
    RETURNING key_check
)
SELECT key_check = $1 FROM kept
