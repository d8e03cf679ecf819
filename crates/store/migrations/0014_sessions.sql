-- Storage quotas, and API keys that end with the person who answers for them or on a date.

-- What a tenant stores is summed up when documents are handed in.
CREATE INDEX documents_stored ON documents (tenant_id) INCLUDE (bytes_len) WHERE deleted_at IS NULL;

ALTER TABLE api_keys
    ADD COLUMN expires_at timestamptz,
    -- Who answers for the key: the person who made it, or the key that made it. It is valid only while they are
    -- active. Null when that is not known or was the operator.
    ADD COLUMN created_by_user uuid;
CREATE INDEX api_keys_of_creator ON api_keys (created_by_user) WHERE revoked_at IS NULL;

SET LOCAL docket.every_tenant = 'on';
WITH RECURSIVE made AS (
    -- By a person.
    SELECT k.api_key_id, u.user_id
    FROM api_keys AS k JOIN users AS u ON u.tenant_id = k.tenant_id AND u.user_id::text = k.created_by
    UNION ALL
    -- By a key that a person answers for.
    SELECT k.api_key_id, made.user_id
    FROM api_keys AS k JOIN made ON k.created_by = 'api_key:' || made.api_key_id
)
UPDATE api_keys SET created_by_user = made.user_id FROM made WHERE made.api_key_id = api_keys.api_key_id;
SET LOCAL docket.every_tenant = 'off';

DROP FUNCTION docket_add_api_keys(
    uuid, uuid[], text[], text[], text[], bytea[], timestamptz, uuid[], uuid[], text[], jsonb[], text[]);
CREATE FUNCTION docket_add_api_keys(
    tenant uuid, ids uuid[], names text[], roles text[], prefixes text[], hashes bytea[],
    expiries timestamptz[], creators uuid[], moment timestamptz,
    audit_ids uuid[], user_ids uuid[], actors text[], details jsonb[], trace_ids text[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    n CONSTANT int := cardinality(ids);
BEGIN
    PERFORM set_config('docket.tenant_id', tenant::text, true);
    INSERT INTO api_keys (api_key_id, tenant_id, name, role, prefix, secret_sha256, expires_at,
                          created_by, created_by_user, created_at)
    SELECT k.id, tenant, k.name, k.role, k.prefix, k.hash, k.expires_at, k.actor, k.creator, moment
    FROM unnest(ids, names, roles, prefixes, hashes, expiries, actors, creators)
         AS k (id, name, role, prefix, hash, expires_at, actor, creator);
    PERFORM docket_audit_append(
        tenant, audit_ids, user_ids, actors, array_fill('api_key'::text, ARRAY[n]), ids,
        array_fill('API_KEY_CREATED'::text, ARRAY[n]), details, array_fill(moment, ARRAY[n]), trace_ids);
END
$$;
