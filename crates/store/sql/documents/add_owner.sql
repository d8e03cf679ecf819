-- Writes an owner's row of a document: $1 tenant, $2 owner, $3 document, $4 now, $5 title, $6 file name, $7 source,
-- $8 tags (an empty list keeps the owner's tags), $9 the check of the owner's password (NULL keeps it). Returns whether the
-- owner is new, and whether title, file name or tags have changed.
WITH before AS (
    SELECT title, filename, tags FROM document_owners WHERE doc_id = $3 AND owner = $2
),
written AS (
    INSERT INTO document_owners (tenant_id, owner, doc_id, created_at, title, filename, source, tags, password_check)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
    ON CONFLICT (doc_id, owner) DO UPDATE
    SET title = excluded.title, filename = excluded.filename,
        tags = CASE WHEN excluded.tags = '{}' THEN document_owners.tags ELSE excluded.tags END,
        password_check = coalesce(excluded.password_check, document_owners.password_check)
    RETURNING title, filename, tags
)
SELECT NOT EXISTS (SELECT FROM before) AS is_new,
       EXISTS (SELECT FROM before, written
               WHERE (before.title, before.filename, before.tags)
                     IS DISTINCT FROM (written.title, written.filename, written.tags)) AS is_renamed
FROM written
