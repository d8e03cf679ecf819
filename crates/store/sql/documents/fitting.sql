-- A document of a list, under the name that its owner ($10) or else the tenant gave it, and whether it meets every
-- condition. OFFSET 0 keeps it a look-up for each document: joined in any other way, the list would lose its order.
SELECT d.file_kind, d.source_uri, coalesce(o.title, d.title) AS title, coalesce(o.source, d.source) AS source,
       coalesce(o.filename, d.filename) AS filename, d.mime, d.bytes_len, d.pages, d.status, d.error,
       d.revision, coalesce(o.tags, d.tags) AS tags, coalesce(o.created_at, d.created_at) AS created_at, d.updated_at,
       o.owner, o.password_check,
       d.deleted_at IS NULL
       AND ($5::text IS NULL OR d.status = $5)
       AND ($6::text IS NULL OR d.file_kind = $6)
       AND ($7::text IS NULL OR coalesce(o.source, d.source) = $7)
       AND ($8::text IS NULL OR $8 = ANY (coalesce(o.tags, d.tags)))
       AND ($9::uuid IS NULL OR EXISTS (
           SELECT FROM batch_documents AS b WHERE b.batch_id = $9 AND b.doc_id = d.doc_id))
       AND ($10::text IS NULL OR o.owner IS NOT NULL)
       AND ($11::text IS NULL OR strpos(
           lower(coalesce(o.title, d.title) || ' ' || coalesce(o.filename, d.filename)), lower($11)) > 0)
       AND {added} AS fits
FROM documents AS d
LEFT JOIN document_owners AS o ON o.doc_id = d.doc_id AND o.owner = $10
WHERE d.tenant_id = $1 AND d.doc_id = listed.doc_id OFFSET 0
