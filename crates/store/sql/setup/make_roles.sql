-- Creates the roles that the tables' rights and policies name, if they are missing. Roles belong to the server, not to the
-- database: another Docket may create them at the same moment from another database.
DO $$
DECLARE
    missing text;
BEGIN
    FOR missing IN
        SELECT name FROM unnest(ARRAY['docket_app', 'docket_system']) AS name
        WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name)
    LOOP
        BEGIN
            EXECUTE format('CREATE ROLE %I NOLOGIN NOINHERIT', missing);
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            NULL;
        END;
    END LOOP;
    -- Work across tenants continues inside one tenant with the weaker role.
    IF NOT pg_has_role('docket_system', 'docket_app', 'MEMBER') THEN
        GRANT docket_app TO docket_system;
    END IF;
END
$$
