-- Work across tenants belongs to a role instead of a setting, which every role could change.
--
-- `docket_app` does the work of one tenant: it sees the rows of the tenant in `docket.tenant_id`. `docket_system`
-- does the work that spans tenants (signing in, the queue, housekeeping): it sees all rows. Docket makes both
-- before it migrates, and logs in as each with connections of their own. A migration that reads or changes rows of
-- all tenants does so between `SET LOCAL ROLE docket_system` and `RESET ROLE`.

DO $$
DECLARE
    old record;
BEGIN
    FOR old IN
        SELECT polname AS name, polrelid::regclass AS target FROM pg_policy
        WHERE polname IN ('every_tenant', 'read_every_tenant', 'add_every_tenant')
    LOOP
        EXECUTE format('DROP POLICY %I ON %s', old.name, old.target);
    END LOOP;
END
$$;
DROP FUNCTION docket_every_tenant();

-- Puts a table with a tenant_id under row-level security and lets both roles work on it. The sub-select makes the
-- planner ask for the setting once per query instead of once per row; FORCE holds the owner to it as well.
CREATE OR REPLACE FUNCTION docket_protect(target regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', target);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', target);
    EXECUTE format('DROP POLICY IF EXISTS own_tenant ON %s', target);
    EXECUTE format(
        'CREATE POLICY own_tenant ON %s USING (tenant_id = (SELECT docket_tenant()))', target);
    EXECUTE format('CREATE POLICY every_tenant ON %s TO docket_system USING (true)', target);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO docket_app, docket_system', target);
END
$$;

SELECT docket_protect(oid) FROM pg_class
WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relforcerowsecurity
  AND relname <> 'audit_log';

-- The audit log can be read and added to. A lane is never removed.
REVOKE UPDATE, DELETE, TRUNCATE ON audit_log FROM docket_app;
GRANT SELECT, INSERT ON audit_log TO docket_app, docket_system;
CREATE POLICY read_every_tenant ON audit_log FOR SELECT TO docket_system USING (true);
CREATE POLICY add_every_tenant ON audit_log FOR INSERT TO docket_system WITH CHECK (true);
REVOKE DELETE ON audit_lanes FROM docket_app, docket_system;

-- What belongs to no tenant is none of its tenants' business.
REVOKE ALL ON schedules, embedding_models, secrets_key FROM docket_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON schedules, embedding_models, secrets_key TO docket_system;

-- A process that may not migrate can still tell whether the schema is the one it knows.
GRANT SELECT ON _sqlx_migrations TO docket_app, docket_system;
GRANT USAGE ON SCHEMA public TO docket_app, docket_system;
