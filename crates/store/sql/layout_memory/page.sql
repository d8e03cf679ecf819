-- One page of the entries of a tenant ($1), the ones that were learnt last first, after the cursor ($2, $3). $4 only entries
-- of this document type. $5 how many.
WITH page AS (
    SELECT memory_id FROM layout_memory
    WHERE tenant_id = $1
      AND ($2::timestamptz IS NULL OR (learnt_at, memory_id) < ($2, $3))
      AND ($4::text IS NULL OR document_type = $4)
    ORDER BY learnt_at DESC, memory_id DESC
    LIMIT $5
)
SELECT memory.memory_id, memory.doc_id, document.title AS document_title, memory.document_type, memory.learnt_at,
       memory.last_used_at,
       -- The names of the fields, in the order of the document type.
       ARRAY(
           SELECT field ->> 'field'
           FROM jsonb_array_elements(memory.entry -> 'fields') WITH ORDINALITY AS of_entry (field, position)
           ORDER BY position
       ) AS fields,
       -- By field: how often it was right, and how often wrong.
       coalesce((
           SELECT jsonb_object_agg(field, jsonb_build_array(right_count, wrong_count))
           FROM layout_memory_counts AS counts WHERE counts.memory_id = memory.memory_id
       ), '{}') AS counts
FROM page
JOIN layout_memory AS memory USING (memory_id)
JOIN documents AS document ON document.tenant_id = $1 AND document.doc_id = memory.doc_id
WHERE memory.tenant_id = $1
ORDER BY memory.learnt_at DESC, memory.memory_id DESC
