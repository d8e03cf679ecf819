-- One page of the trades of a tenant ($1), newest first, after the cursor ($3, $4). $2 is NULL: page_of_owner.sql is for a
-- scope that is limited to an owner. Filters: $5 document, $6 ISIN, $7 and $8 the first and the last trade date, $9 match
-- status, $10 review status. $11 how many.
SELECT t.trade_id, t.document_id, t.run_id, r.result_version, t.position, t.request_id, t.confidence_score,
       t.raw_extracted_data, t.match_status, t.review_status, t.side, t.isin, t.trade_date, t.settlement_date,
       t.created_at, t.updated_at, d.title AS document_title
FROM trades AS t
JOIN results AS r ON r.result_id = t.result_id
JOIN documents AS d ON d.tenant_id = $1 AND d.doc_id = t.document_id AND d.deleted_at IS NULL
WHERE t.tenant_id = $1
  AND $2::text IS NULL
  AND ($3::timestamptz IS NULL OR (t.created_at, t.trade_id) < ($3, $4))
  AND ($5::uuid IS NULL OR t.document_id = $5)
  AND ($6::text IS NULL OR t.isin = $6)
  AND ($7::date IS NULL OR t.trade_date >= $7)
  AND ($8::date IS NULL OR t.trade_date <= $8)
  AND ($9::text IS NULL OR t.match_status = $9)
  AND ($10::text IS NULL OR t.review_status = $10)
ORDER BY t.created_at DESC, t.trade_id DESC
LIMIT $11
