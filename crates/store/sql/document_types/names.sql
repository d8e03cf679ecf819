-- The names of the document types that a tenant ($1) has and has not withdrawn.
SELECT latest.name
FROM (
    SELECT DISTINCT ON (name) name, definition IS NOT NULL AS is_used
    FROM document_types
    WHERE tenant_id = $1
    ORDER BY name, version DESC
) AS latest
WHERE latest.is_used
ORDER BY latest.name
