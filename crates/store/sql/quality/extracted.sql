-- How many values were extracted, and how many of them accepted, by type, field and period. Only results of runs count: a
-- promoted result was extracted before.
-- $1 tenant, $2 from, $3 to, $4 document type or NULL, $5 'day' or 'week'
SELECT result.document_type, counts.key AS field, date_trunc($5, result.created_at, 'UTC') AS starts_at,
       sum((counts.value ->> 0)::bigint)::bigint AS extracted,
       sum((counts.value ->> 1)::bigint)::bigint AS accepted
FROM results AS result, jsonb_each(result.field_counts) AS counts
WHERE result.tenant_id = $1 AND result.created_at >= $2 AND result.created_at < $3
  AND ($4::text IS NULL OR result.document_type = $4)
  AND result.promoted_from IS NULL AND result.document_type <> ''
GROUP BY 1, 2, 3
