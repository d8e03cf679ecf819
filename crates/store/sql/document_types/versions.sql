-- The versions of one type ($2) of a tenant ($1), or one of them ($3), the latest first.
SELECT types.name, types.version, types.definition, types.created_at,
       coalesce(users.email, api_keys.name, types.created_by) AS created_by
FROM document_types AS types
LEFT JOIN users ON users.tenant_id = types.tenant_id AND users.user_id::text = types.created_by
LEFT JOIN api_keys ON api_keys.tenant_id = types.tenant_id
                  AND 'api_key:' || api_keys.api_key_id::text = types.created_by
WHERE types.tenant_id = $1 AND types.name = $2 AND ($3::integer IS NULL OR types.version = $3)
ORDER BY types.version DESC
LIMIT $4
