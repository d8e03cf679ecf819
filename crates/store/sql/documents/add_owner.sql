-- Writes an owner's row of a document: $1 tenant, $2 owner, $3 document, $4 now, $5 title, $6 file name, $7 source,
-- $8 tags (an empty list keeps the owner's tags), $9 the check of the owner's password (NULL keeps it). An upload without a
-- title has its file name as title, which does not replace a title that the owner chose before. Returns whether the owner
-- is new, whether title, file name or tags have changed, and the owner's title now.
WITH before AS (
    SELECT title, filename, tags FROM document_owners WHERE doc_id = $3 AND owner = $2
),
written AS (
    INSERT INTO document_owners (tenant_id, owner, doc_id, created_at, title, filename, source, tags, password_check)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
    ON CONFLICT (doc_id, owner) DO UPDATE
    SET title = CASE WHEN excluded.title = excluded.filename AND document_owners.title <> document_owners.filename
                     THEN document_owners.title ELSE excluded.title END,
        filename = excluded.filename,
        tags = CASE WHEN excluded.tags = '{}' THEN document_owners.tags ELSE excluded.tags END,
        password_check = coalesce(excluded.password_check, document_owners.password_check)
    RETURNING title, filename, tags
)
SELECT NOT EXISTS (SELECT FROM before) AS is_new,
       EXISTS (SELECT FROM before, written
               WHERE (before.title, before.filename, before.tags)
                     IS DISTINCT FROM (written.title, written.filename, written.tags)) AS is_renamed,
       written.title
FROM written
