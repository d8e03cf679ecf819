-- Signed statements of where a tenant's audit log ended; see `domain/src/audit_checkpoint.rs`. Each is also in the
-- object store, out of reach of whoever can only write to this database.
CREATE TABLE audit_checkpoints (
    tenant_id  uuid NOT NULL REFERENCES tenants,
    number     bigint NOT NULL,
    taken_at   timestamptz NOT NULL,
    rows       bigint NOT NULL,
    -- As it was signed, byte by byte.
    statement  text NOT NULL,
    signature  text NOT NULL,
    public_key text NOT NULL,
    PRIMARY KEY (tenant_id, number)
);
SELECT docket_protect('audit_checkpoints');
CREATE TRIGGER append_only BEFORE TRUNCATE ON audit_checkpoints
    FOR EACH STATEMENT EXECUTE FUNCTION docket_refuse_truncate();
REVOKE UPDATE, DELETE ON audit_checkpoints FROM docket_app, docket_system;
