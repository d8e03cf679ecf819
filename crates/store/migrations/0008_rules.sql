-- What holds for one tenant only; passwords of originals; tags; files that came within files.

ALTER TABLE tenants
    -- What its administrators decide, and what the operator grants it.
    ADD COLUMN rules  jsonb NOT NULL DEFAULT '{}',
    ADD COLUMN limits jsonb NOT NULL DEFAULT '{}';

-- Opens the original, where one is needed. It goes to those who read and draw it, and is never shown.
ALTER TABLE ingestion_runs ADD COLUMN password text;

ALTER TABLE documents ADD COLUMN tags text[] NOT NULL DEFAULT '{}';

-- A mail and its attachments. A file that came in two mails is one document with two parents.
CREATE TABLE document_parts (
    parent_doc_id uuid NOT NULL REFERENCES documents,
    doc_id        uuid NOT NULL REFERENCES documents,
    tenant_id     uuid NOT NULL REFERENCES tenants,
    -- What it is called there.
    name          text NOT NULL,
    added_at      timestamptz NOT NULL,
    PRIMARY KEY (parent_doc_id, doc_id)
);
CREATE INDEX document_parts_of_child ON document_parts (doc_id);
SELECT docket_protect('document_parts');
