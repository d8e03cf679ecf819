-- One place for secrets at rest, sealed with a key that is not in the database (`store/src/secrets`).
CREATE TABLE secrets (
    tenant_id  uuid NOT NULL REFERENCES tenants,
    -- What it is for. A secret is bound to its tenant, purpose and id: moved elsewhere it cannot be opened.
    purpose    text NOT NULL,
    -- Of a document's password: the run that it came with.
    secret_id  uuid NOT NULL,
    -- The key that it is sealed with; empty while it is in the clear. The next start seals such secrets.
    key_id     bytea NOT NULL,
    sealed     bytea NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, purpose, secret_id)
);
CREATE INDEX secrets_by_key ON secrets (key_id);
SELECT docket_protect('secrets');

-- `key_check` is the id of the key that secrets are sealed with now. The key of password checks stays the same when that
-- one is replaced, because what was hashed with it cannot be hashed again: from the first replacement on it is kept here,
-- sealed.
ALTER TABLE secrets_key ADD COLUMN check_key bytea;

-- Whether this is the key to seal with, for who may not read the table.
CREATE FUNCTION docket_is_secrets_key(key bytea) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT EXISTS (SELECT FROM secrets_key WHERE key_check = key)
$$;

SET LOCAL ROLE docket_system;
INSERT INTO secrets (tenant_id, purpose, secret_id, key_id, sealed, created_at, updated_at)
SELECT tenant_id, 'document_password', run_id, (SELECT key_check FROM secrets_key), sealed_password, created_at, updated_at
FROM ingestion_runs WHERE sealed_password IS NOT NULL;
INSERT INTO secrets (tenant_id, purpose, secret_id, key_id, sealed, created_at, updated_at)
SELECT tenant_id, 'document_password', run_id, '', convert_to(password, 'UTF8'), created_at, updated_at
FROM ingestion_runs WHERE sealed_password IS NULL AND password IS NOT NULL;
RESET ROLE;

ALTER TABLE ingestion_runs DROP COLUMN sealed_password, DROP COLUMN password;
