-- Replaces the trades of a document by those of its current result: $1 tenant, $2 document, $3 result, $4 run, $5 now, and
-- for each trade $6 its id, $7 the request record, $8 confidence, $9 fields, $10 match status, $11 review status, $12 side,
-- $13 ISIN, $14 trade date, $15 settlement date.
WITH removed AS (
    DELETE FROM trades WHERE document_id = $2 AND trade_id <> ALL ($6)
)
INSERT INTO trades (trade_id, tenant_id, document_id, result_id, run_id, position, request_id, confidence_score,
                    raw_extracted_data, match_status, review_status, side, isin, trade_date, settlement_date,
                    created_at, updated_at)
SELECT trade_id, $1, $2, $3, $4, ordinal - 1, request_id, confidence_score, raw_extracted_data, match_status,
       review_status, side, isin, trade_date, settlement_date, $5, $5
FROM unnest($6::uuid[], $7::text[], $8::float8[], $9::jsonb[], $10::text[], $11::text[], $12::text[], $13::text[],
            $14::date[], $15::date[]) WITH ORDINALITY
    AS t (trade_id, request_id, confidence_score, raw_extracted_data, match_status, review_status, side, isin,
          trade_date, settlement_date, ordinal)
ON CONFLICT (trade_id) DO UPDATE
SET result_id = excluded.result_id, run_id = excluded.run_id, position = excluded.position,
    request_id = excluded.request_id, confidence_score = excluded.confidence_score,
    raw_extracted_data = excluded.raw_extracted_data, match_status = excluded.match_status,
    review_status = excluded.review_status, side = excluded.side, isin = excluded.isin,
    trade_date = excluded.trade_date, settlement_date = excluded.settlement_date, updated_at = excluded.updated_at
