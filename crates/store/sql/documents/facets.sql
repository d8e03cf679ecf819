-- Counts the documents of a list (one of `lists/`) by status, kind, source, tag and batch, of those that match all other
-- conditions. At most $12 documents are scanned, the newest; a row without a facet has their number.
WITH scanned AS MATERIALIZED (
    SELECT listed.doc_id, d.*
    FROM ({list} LIMIT $12) AS listed
    CROSS JOIN LATERAL ({matching}) AS d
),
valued AS (
    SELECT one.facet, one.value
    FROM scanned AS d
    CROSS JOIN LATERAL (
        VALUES ('status', d.status), ('type', d.source_type), ('source', d.source)
        UNION ALL SELECT DISTINCT 'tag', tag FROM unnest(d.tags) AS tag
    ) AS one (facet, value)
    WHERE d.matches
    UNION ALL
    SELECT 'batch', b.batch_id::text
    FROM scanned AS d JOIN batch_documents AS b ON b.tenant_id = $1 AND b.doc_id = d.doc_id
    WHERE d.matches
)
SELECT facet, value, count(*) AS documents FROM valued GROUP BY facet, value
UNION ALL
SELECT '', '', count(*) FROM scanned
