-- Tenants, people, keys, the audit log and idempotency keys.
--
-- Row-level security stands below the WHERE clauses: every table with a tenant_id shows a
-- transaction only the rows of the tenant it has named in `docket.tenant_id`. Work that really
-- spans tenants (signing in, operator commands) says so in `docket.every_tenant`.

CREATE EXTENSION IF NOT EXISTS vector;

CREATE FUNCTION docket_tenant() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT nullif(current_setting('docket.tenant_id', true), '')::uuid
$$;

CREATE FUNCTION docket_every_tenant() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT coalesce(current_setting('docket.every_tenant', true), '') = 'on'
$$;

-- Puts a table with a tenant_id under row-level security. The sub-selects make the planner ask for
-- the setting once per query instead of once per row; FORCE holds the owner to it as well.
CREATE FUNCTION docket_protect(target regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', target);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', target);
    EXECUTE format(
        'CREATE POLICY own_tenant ON %s USING (tenant_id = (SELECT docket_tenant()))', target);
    EXECUTE format(
        'CREATE POLICY every_tenant ON %s USING ((SELECT docket_every_tenant()))', target);
END
$$;

CREATE TABLE tenants (
    tenant_id  uuid PRIMARY KEY,
    name       text NOT NULL UNIQUE,
    created_at timestamptz NOT NULL
);
SELECT docket_protect('tenants');

CREATE TABLE users (
    user_id            uuid PRIMARY KEY,
    tenant_id          uuid NOT NULL REFERENCES tenants,
    email              text NOT NULL UNIQUE,
    password_hash      text NOT NULL,
    role               text NOT NULL
        CHECK (role IN ('admin', 'user', 'reviewer', 'viewer', 'auditor', 'api_client')),
    created_at         timestamptz NOT NULL,
    updated_at         timestamptz NOT NULL,
    deactivated_at     timestamptz,
    -- Tokens issued up to this moment no longer count; set by a change of role, password or standing.
    tokens_revoked_at  timestamptz
);
CREATE INDEX users_of_tenant ON users (tenant_id, created_at, user_id);
CREATE INDEX users_with_revoked_tokens ON users (tokens_revoked_at) WHERE tokens_revoked_at IS NOT NULL;
SELECT docket_protect('users');

-- Tokens that were signed out before they expired.
CREATE TABLE revoked_tokens (
    token_id   uuid PRIMARY KEY,
    tenant_id  uuid NOT NULL REFERENCES tenants,
    user_id    uuid NOT NULL REFERENCES users,
    revoked_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE INDEX revoked_tokens_by_expiry ON revoked_tokens (expires_at);
SELECT docket_protect('revoked_tokens');

CREATE TABLE api_keys (
    api_key_id    uuid PRIMARY KEY,
    tenant_id     uuid NOT NULL REFERENCES tenants,
    name          text NOT NULL,
    role          text NOT NULL
        CHECK (role IN ('admin', 'user', 'reviewer', 'viewer', 'auditor', 'api_client')),
    prefix        text NOT NULL UNIQUE,
    secret_sha256 bytea NOT NULL CHECK (length(secret_sha256) = 32),
    created_by    text NOT NULL,
    created_at    timestamptz NOT NULL,
    last_used_at  timestamptz,
    revoked_at    timestamptz
);
CREATE INDEX api_keys_of_tenant ON api_keys (tenant_id, created_at, api_key_id);
CREATE INDEX api_keys_revoked ON api_keys (revoked_at) WHERE revoked_at IS NOT NULL;
SELECT docket_protect('api_keys');

-- The answer to a request that came with an Idempotency-Key, kept so that a repetition gets the
-- same one. Written in the transaction of the work itself: there is no row without the work.
CREATE TABLE idempotency_keys (
    tenant_id    uuid NOT NULL REFERENCES tenants,
    actor        text NOT NULL,
    key          text NOT NULL,
    request_hash bytea NOT NULL,
    outcome      jsonb NOT NULL,
    expires_at   timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, actor, key)
);
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);
SELECT docket_protect('idempotency_keys');

-- The audit log: one hash chain per tenant, laid out in lanes.
--
-- A single chain would make every audited write of a tenant wait for the commit of the one before
-- it. Instead each tenant has a fixed set of lanes; a writer takes any lane nobody holds and chains
-- its row to that lane's head. A row's hash covers its lane, its place and every column, so a row
-- that is changed, moved or taken out breaks its lane, and the lane's head tells when rows are
-- missing at the end.
CREATE TABLE audit_lanes (
    tenant_id uuid NOT NULL REFERENCES tenants,
    lane      smallint NOT NULL,
    length    bigint NOT NULL DEFAULT 0,
    head      bytea NOT NULL DEFAULT decode(repeat('00', 32), 'hex'),
    PRIMARY KEY (tenant_id, lane)
) WITH (fillfactor = 50);
SELECT docket_protect('audit_lanes');

CREATE TABLE audit_log (
    audit_id    uuid PRIMARY KEY,
    tenant_id   uuid NOT NULL REFERENCES tenants,
    user_id     uuid REFERENCES users,
    actor       text NOT NULL,
    entity_type text NOT NULL,
    entity_id   uuid NOT NULL,
    action      text NOT NULL,
    detail      jsonb NOT NULL,
    ts          timestamptz NOT NULL,
    trace_id    text,
    lane        smallint NOT NULL,
    position    bigint NOT NULL,
    prev_hash   bytea NOT NULL,
    hash        bytea NOT NULL
);
CREATE INDEX audit_log_by_time ON audit_log (tenant_id, ts DESC, audit_id DESC);
CREATE INDEX audit_log_of_entity ON audit_log (tenant_id, entity_id, ts DESC, audit_id DESC);
CREATE UNIQUE INDEX audit_log_chain ON audit_log (tenant_id, lane, position);

-- Append-only: there are policies to read and to add, and none to change or remove, so that even
-- the owner of the table changes nothing.
ALTER TABLE audit_log ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_log FORCE ROW LEVEL SECURITY;
CREATE POLICY read_own_tenant ON audit_log FOR SELECT USING (tenant_id = (SELECT docket_tenant()));
CREATE POLICY read_every_tenant ON audit_log FOR SELECT USING ((SELECT docket_every_tenant()));
CREATE POLICY add_own_tenant ON audit_log FOR INSERT WITH CHECK (tenant_id = (SELECT docket_tenant()));
CREATE POLICY add_every_tenant ON audit_log FOR INSERT WITH CHECK ((SELECT docket_every_tenant()));

-- What a row is sealed with. JSON keeps the columns apart without a separator that could be forged.
CREATE FUNCTION docket_audit_hash(
    prev_hash bytea, lane smallint, "position" bigint, audit_id uuid, tenant_id uuid, user_id uuid,
    actor text, entity_type text, entity_id uuid, action text, detail jsonb, ts timestamptz, trace_id text
) RETURNS bytea LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT sha256(prev_hash || convert_to(jsonb_build_array(
        lane, "position", audit_id, tenant_id, user_id, actor, entity_type, entity_id, action,
        detail, extract(epoch FROM ts), trace_id)::text, 'UTF8'))
$$;

-- Adds rows to a tenant's log, in the order given. The lane stays locked until the transaction ends,
-- which is what keeps its order; a writer passes over lanes that others hold, and waits only when all
-- are taken.
CREATE FUNCTION docket_audit_append(
    tenant uuid, audit_ids uuid[], user_ids uuid[], actors text[], entity_types text[],
    entity_ids uuid[], actions text[], details jsonb[], moments timestamptz[], trace_ids text[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    taken  audit_lanes;
    n      CONSTANT int := array_length(audit_ids, 1);
    before bytea[] := array_fill(NULL::bytea, ARRAY[n]);
    hashes bytea[] := array_fill(NULL::bytea, ARRAY[n]);
BEGIN
    SELECT * INTO taken FROM audit_lanes WHERE tenant_id = tenant LIMIT 1 FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        -- The session's own number spreads the waiting writers over the lanes.
        SELECT * INTO STRICT taken FROM audit_lanes WHERE tenant_id = tenant
        ORDER BY (lane + pg_backend_pid()) % 64 LIMIT 1 FOR UPDATE;
    END IF;
    FOR i IN 1..n LOOP
        before[i] := taken.head;
        taken.head := docket_audit_hash(
            taken.head, taken.lane, taken.length + i, audit_ids[i], tenant, user_ids[i], actors[i],
            entity_types[i], entity_ids[i], actions[i], details[i], moments[i], trace_ids[i]);
        hashes[i] := taken.head;
    END LOOP;
    INSERT INTO audit_log
        (audit_id, tenant_id, user_id, actor, entity_type, entity_id, action, detail, ts, trace_id,
         lane, position, prev_hash, hash)
    SELECT e.audit_id, tenant, e.user_id, e.actor, e.entity_type, e.entity_id, e.action, e.detail, e.ts,
           e.trace_id, taken.lane, taken.length + e.place, e.before, e.hash
    FROM unnest(audit_ids, user_ids, actors, entity_types, entity_ids, actions, details, moments,
                trace_ids, before, hashes) WITH ORDINALITY
         AS e (audit_id, user_id, actor, entity_type, entity_id, action, detail, ts,
               trace_id, before, hash, place);
    UPDATE audit_lanes SET length = taken.length + n, head = taken.head
    WHERE tenant_id = tenant AND lane = taken.lane;
END
$$;
