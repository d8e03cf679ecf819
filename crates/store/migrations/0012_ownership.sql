-- Shared bytes are not shared metadata: what each owner calls a document, and whether they know its password.

-- An owner with the permission to see only their own documents reads these columns instead of those of
-- `documents`, which belong to callers who see all documents.
ALTER TABLE document_owners
    ADD COLUMN title    text,
    ADD COLUMN filename text,
    ADD COLUMN tags     text[] NOT NULL DEFAULT '{}',
    -- A keyed hash of the password that the owner presented with the document; null when they presented none.
    ADD COLUMN password_check bytea;

-- Every file name that the content was seen under. Masks apply by all of them, so no row is ever removed.
CREATE TABLE document_file_names (
    tenant_id  uuid NOT NULL REFERENCES tenants,
    doc_id     uuid NOT NULL REFERENCES documents,
    filename   text NOT NULL,
    first_seen timestamptz NOT NULL,
    PRIMARY KEY (doc_id, filename)
);
SELECT docket_protect('document_file_names');

-- The password of an original, encrypted; and the keyed hash that an owner's own is compared with.
-- A password from before this migration is encrypted and cleared from `password` at the next start.
ALTER TABLE ingestion_runs
    ADD COLUMN sealed_password bytea,
    ADD COLUMN password_check  bytea;

SET LOCAL docket.every_tenant = 'on';
UPDATE document_owners AS o SET title = d.title, filename = d.filename, tags = d.tags
FROM documents AS d WHERE d.doc_id = o.doc_id;
INSERT INTO document_file_names (tenant_id, doc_id, filename, first_seen)
SELECT tenant_id, doc_id, filename, created_at FROM documents;
SET LOCAL docket.every_tenant = 'off';
