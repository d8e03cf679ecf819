-- The columns of a listed document, with the values of its owner ($10) where there is one, and whether it matches all
-- conditions. A planner workaround: OFFSET 0 keeps this a lookup per document; as an ordinary join it could change the
-- order of the list.
SELECT d.source_type, d.source_uri, coalesce(o.title, d.title) AS title, coalesce(o.source, d.source) AS source,
       coalesce(o.filename, d.filename) AS filename, d.mime, d.bytes_len, d.pages, d.status, d.error,
       d.version, coalesce(o.tags, d.tags) AS tags, d.updated_at, o.owner, o.password_check,
       d.deleted_at IS NULL
       AND ($5::text IS NULL OR d.status = $5)
       AND ($6::text IS NULL OR d.source_type = $6)
       AND ($7::text IS NULL OR coalesce(o.source, d.source) = $7)
       AND ($8::text IS NULL OR $8 = ANY (coalesce(o.tags, d.tags)))
       AND ($9::uuid IS NULL OR EXISTS (
           SELECT FROM batch_documents AS b WHERE b.batch_id = $9 AND b.doc_id = d.doc_id))
       AND ($10::text IS NULL OR o.owner IS NOT NULL)
       AND ($11::text IS NULL OR strpos(
           lower(coalesce(o.title, d.title) || ' ' || coalesce(o.filename, d.filename)), lower($11)) > 0) AS matches
FROM documents AS d
LEFT JOIN document_owners AS o ON o.doc_id = d.doc_id AND o.owner = $10
WHERE d.tenant_id = $1 AND d.doc_id = listed.doc_id OFFSET 0
