-- Accepted fields that were reviewed, by type, field and period.
-- $1 tenant, $2 from, $3 to, $4 document type or NULL, $5 'day' or 'week'
SELECT document_type, field, date_trunc($5, reviewed_at, 'UTC') AS starts_at,
       count(*) AS reviewed,
       count(*) FILTER (WHERE NOT was_correct) AS wrong,
       count(*) FILTER (WHERE is_sampled) AS sampled,
       count(*) FILTER (WHERE is_sampled AND NOT was_correct) AS sampled_wrong
FROM reviewed_fields
WHERE tenant_id = $1 AND reviewed_at >= $2 AND reviewed_at < $3 AND ($4::text IS NULL OR document_type = $4)
  AND status = 'accepted'
GROUP BY 1, 2, 3
