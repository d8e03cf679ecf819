-- Counts a tenant's documents by status, kind and source, each value up to $2. The statement reads indexes only: it skips
-- from one value to the next greater one, and reads of each value no more entries than it counts.
WITH RECURSIVE status AS (
    (SELECT min(d.status) AS value FROM documents AS d WHERE d.tenant_id = $1 AND d.deleted_at IS NULL)
    UNION ALL
    SELECT (SELECT min(d.status) FROM documents AS d
            WHERE d.tenant_id = $1 AND d.deleted_at IS NULL AND d.status > status.value)
    FROM status WHERE status.value IS NOT NULL
),
other AS (
    SELECT facet, (SELECT min(f.value) FROM document_facets AS f WHERE f.tenant_id = $1 AND f.facet = one.facet) AS value
    FROM (VALUES ('type'), ('source')) AS one (facet)
    UNION ALL
    SELECT other.facet, (SELECT min(f.value) FROM document_facets AS f
                         WHERE f.tenant_id = $1 AND f.facet = other.facet AND f.value > other.value)
    FROM other WHERE other.value IS NOT NULL
)
SELECT 'status' AS facet, status.value, counted.documents
FROM status CROSS JOIN LATERAL (
    SELECT count(*) AS documents FROM (
        SELECT FROM documents AS d
        WHERE d.tenant_id = $1 AND d.deleted_at IS NULL AND d.status = status.value LIMIT $2) AS these
) AS counted
WHERE status.value IS NOT NULL
UNION ALL
SELECT other.facet, other.value, counted.documents
FROM other CROSS JOIN LATERAL (
    SELECT count(*) AS documents FROM (
        SELECT FROM document_facets AS f
        WHERE f.tenant_id = $1 AND f.facet = other.facet AND f.value = other.value LIMIT $2) AS these
) AS counted
WHERE other.value IS NOT NULL
