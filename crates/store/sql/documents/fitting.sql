-- What a document of a list is, and whether it fits every condition. OFFSET 0 keeps it a look-up for each of
-- them: joined in any other way, the list would lose its order.
SELECT d.source_type, d.source_uri, d.title, d.source, d.filename, d.mime, d.bytes_len, d.status, d.error,
       d.version, d.tags, d.updated_at,
       d.deleted_at IS NULL
       AND ($5::text IS NULL OR d.status = $5)
       AND ($6::text IS NULL OR d.source_type = $6)
       AND ($7::text IS NULL OR d.source = $7)
       AND ($8::text IS NULL OR $8 = ANY (d.tags))
       AND ($9::uuid IS NULL OR EXISTS (
           SELECT FROM batch_documents AS b WHERE b.batch_id = $9 AND b.doc_id = d.doc_id))
       AND ($10::text IS NULL OR EXISTS (
           SELECT FROM document_owners AS o WHERE o.doc_id = d.doc_id AND o.owner = $10))
       AND ($11::text IS NULL OR strpos(lower(d.title || ' ' || d.filename), lower($11)) > 0) AS fits
FROM documents AS d WHERE d.tenant_id = $1 AND d.doc_id = listed.doc_id OFFSET 0
