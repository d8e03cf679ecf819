-- The trades of a document ($3) that the scope may see, in their order: $1 tenant, $2 the owner to whom the scope is
-- limited, or NULL.
SELECT t.trade_id, t.document_id, t.run_id, r.result_version, t.position, t.request_id, t.confidence_score,
       t.raw_extracted_data, t.match_status, t.review_status, t.side, t.isin, t.trade_date, t.settlement_date,
       t.created_at, t.updated_at, coalesce(o.title, d.title) AS document_title
FROM trades AS t
JOIN results AS r ON r.result_id = t.result_id
JOIN documents AS d ON d.tenant_id = $1 AND d.doc_id = t.document_id AND d.deleted_at IS NULL
LEFT JOIN document_owners AS o ON o.doc_id = t.document_id AND o.owner = $2
WHERE t.tenant_id = $1 AND t.document_id = $3
  AND ($2::text IS NULL OR o.owner IS NOT NULL)
ORDER BY t.position
