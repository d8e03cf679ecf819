-- Roles belong to the server, not to the database: somebody else may make this one at the same
-- moment from another database.
DO $$
DECLARE
    ours regclass;
BEGIN
    BEGIN
        CREATE ROLE docket_app NOLOGIN NOSUPERUSER NOBYPASSRLS;
    EXCEPTION WHEN duplicate_object OR unique_violation THEN
        NULL;
    END;
    -- Who makes a role may not always become it.
    IF NOT pg_has_role(current_user, 'docket_app', 'MEMBER') THEN
        GRANT docket_app TO CURRENT_USER;
    END IF;
    GRANT USAGE ON SCHEMA public TO docket_app;
    -- Every table under row-level security is ours, and those that belong to no tenant; nobody
    -- else's table is touched.
    FOR ours IN
        SELECT oid FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
          AND (relforcerowsecurity OR oid IN ('schedules'::regclass, 'embedding_models'::regclass))
    LOOP
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO docket_app', ours);
    END LOOP;
    REVOKE UPDATE, DELETE ON audit_log, audit_checkpoints FROM docket_app;
END
$$;
-- Fails here, where it gets its sentence, rather than on every later connection.
SET ROLE docket_app;
RESET ROLE;
