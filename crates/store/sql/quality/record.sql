-- The outcomes of one review, one array per column. A second review of the same result replaces the first.
-- $1 tenant, $2 document, $3 result, $4 document type, $5 sampled, $6 time
INSERT INTO reviewed_fields (result_id, path, tenant_id, doc_id, document_type, field, kind, confidence, status, source,
                             is_sampled, was_correct, reviewed_at)
SELECT $3, outcome.path, $1, $2, $4, outcome.field, outcome.kind, outcome.confidence, outcome.status, outcome.source,
       $5, outcome.was_correct, $6
FROM unnest($7::text[], $8::text[], $9::text[], $10::double precision[], $11::text[], $12::text[], $13::boolean[])
         AS outcome (path, field, kind, confidence, status, source, was_correct)
ON CONFLICT (result_id, path) DO UPDATE SET was_correct = excluded.was_correct, reviewed_at = excluded.reviewed_at
