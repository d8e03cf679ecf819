-- Uses the terms of the code and the documentation in the schema. Only names change.

-- Lanes of the audit log are called chain shards. The hash of a row covers the number of its shard, never a column's name,
-- so every hash stays valid.
--
-- Each tenant has 64 shards so that its writers need not wait for each other's commits. A shard is a hash chain of its
-- own: a writer locks a free one and chains its rows to that shard's head.

ALTER TABLE audit_lanes RENAME TO audit_chain_shards;
ALTER TABLE audit_chain_shards RENAME COLUMN lane TO shard;
ALTER TABLE audit_chain_shards RENAME CONSTRAINT audit_lanes_pkey TO audit_chain_shards_pkey;
ALTER TABLE audit_chain_shards RENAME CONSTRAINT audit_lanes_tenant_id_fkey TO audit_chain_shards_tenant_id_fkey;
ALTER TABLE audit_log RENAME COLUMN lane TO shard;

-- PostgreSQL does not rename a parameter in place, so the function is made again, with the same body.
DROP FUNCTION docket_audit_hash(
    bytea, smallint, bigint, uuid, uuid, uuid, text, text, uuid, text, jsonb, timestamptz, text);
CREATE FUNCTION docket_audit_hash(
    prev_hash bytea, shard smallint, "position" bigint, audit_id uuid, tenant_id uuid, user_id uuid,
    actor text, entity_type text, entity_id uuid, action text, detail jsonb, ts timestamptz, trace_id text
) RETURNS bytea LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT sha256(prev_hash || convert_to(jsonb_build_array(
        shard, "position", audit_id, tenant_id, user_id, actor, entity_type, entity_id, action,
        detail, extract(epoch FROM ts), trace_id)::text, 'UTF8'))
$$;

-- Adds rows to a tenant's log, in the order given. The shard stays locked until the transaction ends, which keeps its
-- rows in order. A writer skips shards that others have locked, and waits only when all of them are locked.
CREATE OR REPLACE FUNCTION docket_audit_append(
    tenant uuid, audit_ids uuid[], user_ids uuid[], actors text[], entity_types text[],
    entity_ids uuid[], actions text[], details jsonb[], moments timestamptz[], trace_ids text[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    locked audit_chain_shards;
    n      CONSTANT int := array_length(audit_ids, 1);
    before bytea[] := array_fill(NULL::bytea, ARRAY[n]);
    hashes bytea[] := array_fill(NULL::bytea, ARRAY[n]);
BEGIN
    SELECT * INTO locked FROM audit_chain_shards WHERE tenant_id = tenant LIMIT 1 FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        -- The session's process id spreads the waiting writers over the shards.
        SELECT * INTO STRICT locked FROM audit_chain_shards WHERE tenant_id = tenant
        ORDER BY (shard + pg_backend_pid()) % 64 LIMIT 1 FOR UPDATE;
    END IF;
    FOR i IN 1..n LOOP
        before[i] := locked.head;
        locked.head := docket_audit_hash(
            locked.head, locked.shard, locked.length + i, audit_ids[i], tenant, user_ids[i], actors[i],
            entity_types[i], entity_ids[i], actions[i], details[i], moments[i], trace_ids[i]);
        hashes[i] := locked.head;
    END LOOP;
    INSERT INTO audit_log
        (audit_id, tenant_id, user_id, actor, entity_type, entity_id, action, detail, ts, trace_id,
         shard, position, prev_hash, hash)
    SELECT e.audit_id, tenant, e.user_id, e.actor, e.entity_type, e.entity_id, e.action, e.detail, e.ts,
           e.trace_id, locked.shard, locked.length + e.ordinal, e.before, e.hash
    FROM unnest(audit_ids, user_ids, actors, entity_types, entity_ids, actions, details, moments,
                trace_ids, before, hashes) WITH ORDINALITY
         AS e (audit_id, user_id, actor, entity_type, entity_id, action, detail, ts,
               trace_id, before, hash, ordinal);
    UPDATE audit_chain_shards SET length = locked.length + n, head = locked.head
    WHERE tenant_id = tenant AND shard = locked.shard;
END
$$;

ALTER TABLE object_store RENAME COLUMN tied_at TO linked_at;

-- Periodic tasks keep their schedules under their new names.
UPDATE schedules SET name = 'cleanup' WHERE name = 'janitor';
UPDATE schedules SET name = 'correct_future_times' WHERE name = 'heal_times';
