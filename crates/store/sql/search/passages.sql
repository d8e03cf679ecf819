-- The texts of chunks that were found, as far as they are served now and ($3) the owner's: $1 tenant, $2 chunks.
SELECT c.chunk_id, d.doc_id, v.doc_version_id, d.title, d.filename, d.source_type, c.heading, c.text,
       c.first_page, c.last_page, c.areas
FROM chunks AS c
JOIN document_versions AS v ON v.run_id = c.run_id AND v.is_active
JOIN documents AS d ON d.doc_id = v.doc_id AND d.deleted_at IS NULL
WHERE c.tenant_id = $1 AND c.chunk_id = ANY ($2)
  AND ($3::text IS NULL OR EXISTS (
      SELECT FROM document_owners AS o WHERE o.doc_id = d.doc_id AND o.owner = $3))
