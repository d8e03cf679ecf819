-- The latest version of each type of a tenant ($1), or of one name ($2). A withdrawn type has no definition.
SELECT DISTINCT ON (types.name)
       types.name, types.version, types.definition, types.created_at,
       coalesce(users.email, api_keys.name, types.created_by) AS created_by
FROM document_types AS types
LEFT JOIN users ON users.tenant_id = types.tenant_id AND users.user_id::text = types.created_by
LEFT JOIN api_keys ON api_keys.tenant_id = types.tenant_id
                  AND 'api_key:' || api_keys.api_key_id::text = types.created_by
WHERE types.tenant_id = $1 AND ($2::text IS NULL OR types.name = $2)
ORDER BY types.name, types.version DESC
