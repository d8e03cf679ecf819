-- Inserts a result: $1 id, $2 tenant, $3 document, $4 run, $5 version, $6 payload, $7 confidences, $8 document type, $9 its
-- version, $10 state, $11 whether it was chosen for review, $12 whether a person reviewed it, $13 the version that was
-- promoted, $14 now.
INSERT INTO results (result_id, tenant_id, doc_id, run_id, result_version, payload, confidences, document_type,
                     type_version, state, sampled_for_review, is_reviewed, promoted_from, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
