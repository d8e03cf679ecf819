-- The current results of these documents ($2). $1 tenant. The caller has checked that the scope may see the documents.
SELECT r.result_id, r.doc_id, r.run_id, r.result_version, r.payload, r.document_type, r.type_version, r.state,
       r.is_reviewed, r.sampled_for_review, r.promoted_from, r.created_at
FROM results AS r
WHERE r.tenant_id = $1 AND r.doc_id = ANY ($2) AND r.state = 'current'
