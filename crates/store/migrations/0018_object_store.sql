-- Which object store belongs to this database: the same id is in the store, in the object `docket-store.json`.
-- See `ops/src/objects/tie.rs`.
CREATE TABLE object_store (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    store_id uuid NOT NULL,
    tied_at  timestamptz NOT NULL
);
REVOKE ALL ON object_store FROM docket_app;
GRANT SELECT, INSERT, UPDATE ON object_store TO docket_system;
