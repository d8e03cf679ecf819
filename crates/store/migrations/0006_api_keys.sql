-- Adding keys is one statement, and so one trip to the database and one transaction of its own.

-- A key exists only together with its row in the tenant's log, and that needs the tenant: checking it
-- again for every key would make all writers lock the tenant's row.
ALTER TABLE api_keys DROP CONSTRAINT api_keys_tenant_id_fkey;

CREATE FUNCTION docket_add_api_keys(
    tenant uuid, ids uuid[], names text[], roles text[], prefixes text[], hashes bytea[], moment timestamptz,
    audit_ids uuid[], user_ids uuid[], actors text[], details jsonb[], trace_ids text[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    n CONSTANT int := cardinality(ids);
BEGIN
    PERFORM set_config('docket.tenant_id', tenant::text, true);
    INSERT INTO api_keys (api_key_id, tenant_id, name, role, prefix, secret_sha256, created_by, created_at)
    SELECT k.id, tenant, k.name, k.role, k.prefix, k.hash, k.actor, moment
    FROM unnest(ids, names, roles, prefixes, hashes, actors) AS k (id, name, role, prefix, hash, actor);
    PERFORM docket_audit_append(
        tenant, audit_ids, user_ids, actors, array_fill('api_key'::text, ARRAY[n]), ids,
        array_fill('API_KEY_CREATED'::text, ARRAY[n]), details, array_fill(moment, ARRAY[n]), trace_ids);
END
$$;
