-- The document types that tenants define themselves, and their versions. Built-in types are part of the program.
CREATE TABLE document_types (
    tenant_id  uuid NOT NULL REFERENCES tenants,
    name       text NOT NULL CHECK (name ~ '^[a-z][a-z0-9_]{0,62}$'),
    -- Counted from 1. Version 0 of a name is the built-in type.
    version    integer NOT NULL CHECK (version >= 1),
    -- The definition, with the version of its format in "format". Null: the type is withdrawn from this version on.
    definition jsonb CHECK (jsonb_typeof(definition) = 'object'),
    created_by text NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, name, version)
);
SELECT docket_protect('document_types');
-- Results name the version that they were extracted by: it never changes.
REVOKE UPDATE, DELETE ON document_types FROM docket_app, docket_system;
