-- Roles belong to the server, not to the database: somebody else may make this one at the same
-- moment from another database.
DO $$
BEGIN
    CREATE ROLE docket_app NOLOGIN NOSUPERUSER NOBYPASSRLS;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
    NULL;
END
$$;
GRANT USAGE ON SCHEMA public TO docket_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO docket_app;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO docket_app;
REVOKE UPDATE, DELETE ON audit_log FROM docket_app;
REVOKE ALL ON _sqlx_migrations FROM docket_app;
