-- How many of the latest reviewed fields of a type were wrong, by document and by step of the confidence. The fields are
-- those of steps.sql.
-- $1 tenant, $2 document type, $3 how many fields, $4 the lower ends of the steps, ascending
WITH latest AS (
    SELECT doc_id, confidence, was_correct
    FROM reviewed_fields
    WHERE tenant_id = $1 AND document_type = $2 AND source IS DISTINCT FROM 'e_invoice'
    ORDER BY reviewed_at DESC
    LIMIT $3
)
SELECT doc_id, width_bucket(confidence, $4::double precision[]) AS step,
       count(*) FILTER (WHERE NOT was_correct) AS wrong
FROM latest
GROUP BY 1, 2
