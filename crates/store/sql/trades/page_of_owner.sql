-- One page of the trades of the documents of an owner ($2) in a tenant ($1), newest first, after the cursor ($3, $4). Filters:
-- $5 document, $6 ISIN, $7 and $8 the first and the last trade date, $9 match status, $10 review status. $11 how many.
-- PostgreSQL begins with the documents of an owner who has few, and with the newest trades for one who has most of them.
WITH chosen AS (
    -- Reads the columns of the index trades_of_document_recent and no others.
    SELECT t.trade_id, t.created_at, o.title
    FROM document_owners AS o
    JOIN documents AS d ON d.tenant_id = $1 AND d.doc_id = o.doc_id AND d.deleted_at IS NULL
    JOIN trades AS t ON t.tenant_id = $1 AND t.document_id = o.doc_id
    WHERE o.tenant_id = $1 AND o.owner = $2
      AND ($3::timestamptz IS NULL OR (t.created_at, t.trade_id) < ($3, $4))
      AND ($5::uuid IS NULL OR t.document_id = $5)
      AND ($6::text IS NULL OR t.isin = $6)
      AND ($7::date IS NULL OR t.trade_date >= $7)
      AND ($8::date IS NULL OR t.trade_date <= $8)
      AND ($9::text IS NULL OR t.match_status = $9)
      AND ($10::text IS NULL OR t.review_status = $10)
    ORDER BY t.created_at DESC, t.trade_id DESC
    LIMIT $11
)
SELECT t.trade_id, t.document_id, t.run_id, r.result_version, t.position, t.request_id, t.confidence_score,
       t.raw_extracted_data, t.match_status, t.review_status, t.side, t.isin, t.trade_date, t.settlement_date,
       t.created_at, t.updated_at, chosen.title AS document_title
FROM chosen
JOIN trades AS t ON t.trade_id = chosen.trade_id
JOIN results AS r ON r.result_id = t.result_id
ORDER BY chosen.created_at DESC, chosen.trade_id DESC
