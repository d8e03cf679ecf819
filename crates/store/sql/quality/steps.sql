-- How often the latest reviewed fields of a type were wrong, by field and by step of the confidence. Values of electronic
-- invoices are read and not recognised: they say nothing about the others.
-- $1 tenant, $2 document type, $3 how many fields, $4 the lower ends of the steps, ascending
WITH latest AS (
    SELECT field, kind, confidence, was_correct
    FROM reviewed_fields
    WHERE tenant_id = $1 AND document_type = $2 AND source IS DISTINCT FROM 'e_invoice'
    ORDER BY reviewed_at DESC
    LIMIT $3
)
SELECT field, kind, width_bucket(confidence, $4::double precision[]) AS step,
       count(*) AS total, count(*) FILTER (WHERE NOT was_correct) AS wrong
FROM latest
GROUP BY 1, 2, 3
