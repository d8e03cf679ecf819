-- Shared bytes are not shared metadata: what each owner calls a document, and whether they know its password.

-- An owner with the permission to see only their own documents reads these columns instead of those of
-- `documents`, which belong to callers who see all documents. `created_at` is when the owner brought it in.
ALTER TABLE document_owners
    ADD COLUMN title    text,
    ADD COLUMN filename text,
    ADD COLUMN source   text,
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

-- What a document was called when it was added to the batch: the batch's owner need not own the document.
ALTER TABLE batch_documents
    ADD COLUMN title    text,
    ADD COLUMN filename text;

-- The password of an original, encrypted; and the keyed hash that an owner's own is compared with.
-- A password from before this migration is encrypted and cleared from `password` at the next start.
ALTER TABLE ingestion_runs
    ADD COLUMN sealed_password bytea,
    ADD COLUMN password_check  bytea;
CREATE INDEX ingestion_runs_with_password ON ingestion_runs (doc_id) WHERE password_check IS NOT NULL;
CREATE INDEX ingestion_runs_with_sealed_password ON ingestion_runs (run_id)
    WHERE sealed_password IS NOT NULL OR password IS NOT NULL;

-- Whether the password of a run opened its original. An unencrypted file that came with a password needs none.
CREATE FUNCTION docket_opened_by_password(run ingestion_runs) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT run.password_check IS NOT NULL
       AND (coalesce((run.stats ->> 'password_used')::boolean, false)
            OR EXISTS (SELECT FROM stages AS s
                       WHERE s.run_id = run.run_id AND s.status = 'succeeded'
                         AND (s.stats ->> 'password_used')::boolean))
$$;

-- Whether a password is needed for the content of a document, and `proof` is the check of none that opened it.
-- The one definition of "locked": reads of one owner, lists and the search index all use it.
CREATE FUNCTION docket_content_locked(document uuid, proof bytea) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM ingestion_runs AS run
                   WHERE run.doc_id = document AND run.password_check IS NOT NULL AND docket_opened_by_password(run))
       AND NOT EXISTS (SELECT FROM ingestion_runs AS run
                       WHERE run.doc_id = document AND run.password_check = proof AND docket_opened_by_password(run))
$$;

-- Documents and batches follow their runs, as before; an earlier run takes nothing back.
CREATE OR REPLACE FUNCTION docket_follow_run() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    is_deleted boolean;
    is_outdated boolean;
BEGIN
    SELECT deleted_at IS NOT NULL INTO is_deleted FROM documents WHERE doc_id = NEW.doc_id FOR UPDATE;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;

    -- What succeeded is what is served from now on, instead of whatever was before; but not instead of a run that was
    -- asked for later and ended sooner: it may have masked what this one read.
    IF NEW.status = 'succeeded' AND NEW.content_sha256 IS NOT NULL THEN
        is_outdated := EXISTS (
            SELECT FROM document_versions AS v JOIN ingestion_runs AS served ON served.run_id = v.run_id
            WHERE v.doc_id = NEW.doc_id AND v.is_active AND served.created_at > NEW.created_at);
        UPDATE document_versions SET is_active = false, deactivated_at = NEW.updated_at
        WHERE doc_id = NEW.doc_id AND is_active AND NOT is_deleted AND NOT is_outdated;
        INSERT INTO document_versions
            (tenant_id, doc_id, run_id, version_label, content_hash, content_sha256, is_active, created_at)
        VALUES (NEW.tenant_id, NEW.doc_id, NEW.run_id,
                'v' || 1 + (SELECT count(*) FROM document_versions WHERE doc_id = NEW.doc_id),
                'sha256:' || encode(NEW.content_sha256, 'hex'), NEW.content_sha256, NOT (is_deleted OR is_outdated),
                NEW.updated_at);
    END IF;

    -- A document that is served stays so whatever a later run does.
    UPDATE documents
    SET status = CASE WHEN EXISTS (SELECT FROM document_versions
                                   WHERE doc_id = NEW.doc_id AND is_active) THEN 'active'
                      WHEN NEW.status = 'failed' THEN 'failed'
                      WHEN NEW.status = 'running' THEN 'processing'
                      WHEN NEW.status = 'queued' THEN 'uploaded'
                      ELSE status END,
        error = CASE WHEN NEW.status = 'failed' THEN NEW.error END,
        updated_at = NEW.updated_at
    WHERE doc_id = NEW.doc_id;

    IF OLD.status = 'queued' AND NEW.status = 'running' THEN
        INSERT INTO outbox_events (evt_id, tenant_id, topic, payload, created_at, delivered)
        VALUES (gen_random_uuid(), NEW.tenant_id, 'document.started',
                jsonb_build_object('doc_id', NEW.doc_id, 'run_id', NEW.run_id), NEW.updated_at, true);
    END IF;

    -- The row of a batch is held until the end, so that of two documents that end at once one is last.
    IF OLD.status IN ('succeeded', 'failed') OR NEW.status IN ('succeeded', 'failed') THEN
        UPDATE batches AS b
        SET succeeded = b.succeeded + (NEW.status = 'succeeded')::int - (OLD.status = 'succeeded')::int,
            failed = b.failed + (NEW.status = 'failed')::int - (OLD.status = 'failed')::int,
            updated_at = NEW.updated_at
        FROM batch_documents AS bd
        WHERE bd.run_id = NEW.run_id AND b.batch_id = bd.batch_id;
    END IF;
    RETURN NULL;
END
$$;

-- Tells whether the key that passwords are sealed with is still the same; one row at most.
CREATE TABLE secrets_key (
    only_row  boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    key_check bytea NOT NULL
);

-- What an owner may find changes with their own tags and with their knowing the password.
CREATE TRIGGER owner_finds_anew AFTER UPDATE OF tags, password_check ON document_owners
    FOR EACH ROW WHEN (OLD.tags IS DISTINCT FROM NEW.tags OR OLD.password_check IS DISTINCT FROM NEW.password_check)
    EXECUTE FUNCTION docket_note_search_change();

SET LOCAL docket.every_tenant = 'on';
UPDATE document_owners AS o SET title = d.title, filename = d.filename, source = d.source, tags = d.tags
FROM documents AS d WHERE d.doc_id = o.doc_id;
UPDATE batch_documents AS b SET title = d.title, filename = d.filename
FROM documents AS d WHERE d.doc_id = b.doc_id;
INSERT INTO document_file_names (tenant_id, doc_id, filename, first_seen)
SELECT tenant_id, doc_id, filename, created_at FROM documents;
SET LOCAL docket.every_tenant = 'off';

ALTER TABLE document_owners
    ALTER COLUMN title SET NOT NULL, ALTER COLUMN filename SET NOT NULL, ALTER COLUMN source SET NOT NULL;
ALTER TABLE batch_documents
    ALTER COLUMN title SET NOT NULL, ALTER COLUMN filename SET NOT NULL;
