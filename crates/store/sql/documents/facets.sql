-- How many documents of a list (one of `lists/`) have which status, type, source, tag and batch, of those that meet
-- every other condition. At most $12 of the list are examined, the newest; a row of no facet says how many.
WITH examined AS MATERIALIZED (
    SELECT listed.doc_id, d.*
    FROM ({list} LIMIT $12) AS listed
    CROSS JOIN LATERAL ({fitting}) AS d
),
valued AS (
    SELECT one.facet, one.value
    FROM examined AS d
    CROSS JOIN LATERAL (
        VALUES ('status', d.status), ('type', d.file_kind), ('source', d.source)
        UNION ALL SELECT DISTINCT 'tag', tag FROM unnest(d.tags) AS tag
    ) AS one (facet, value)
    WHERE d.fits
    UNION ALL
    SELECT 'batch', b.batch_id::text
    FROM examined AS d JOIN batch_documents AS b ON b.tenant_id = $1 AND b.doc_id = d.doc_id
    WHERE d.fits
)
SELECT facet, value, count(*) AS documents FROM valued GROUP BY facet, value
UNION ALL
SELECT '', '', count(*) FROM examined
