-- Documents, their versions and their originals; batches; and an outbox that can be followed.

-- An original, by what it contains. An upload announces itself here before it publishes the bytes, so
-- that the janitor, who holds the row while it removes them, never removes what somebody is about to
-- refer to.
CREATE TABLE blobs (
    tenant_id  uuid NOT NULL REFERENCES tenants,
    sha256     bytea NOT NULL CHECK (length(sha256) = 32),
    bytes_len  bigint NOT NULL,
    mime       text NOT NULL,
    created_at timestamptz NOT NULL,
    -- The last time somebody uploaded it.
    touched_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, sha256)
);
CREATE INDEX blobs_by_age ON blobs (touched_at);
SELECT docket_protect('blobs');

CREATE TABLE batches (
    batch_id       uuid PRIMARY KEY,
    tenant_id      uuid NOT NULL REFERENCES tenants,
    name           text,
    owner          text NOT NULL,
    status         text NOT NULL CHECK (status IN ('open', 'processing', 'completed', 'partial')),
    webhook_url    text,
    schema_mapping jsonb,
    dedupe         boolean NOT NULL DEFAULT true,
    pipeline       text[],
    -- When it is known, the batch ends with the last of this many files; otherwise whenever all that
    -- came so far have ended.
    expected       int CHECK (expected > 0),
    -- Files that were offered, and those among them that were refused. The same content twice is one
    -- document.
    offered        int NOT NULL DEFAULT 0,
    refused        int NOT NULL DEFAULT 0,
    -- Of its documents: how many came, and how many have ended.
    documents      int NOT NULL DEFAULT 0,
    succeeded      int NOT NULL DEFAULT 0,
    failed         int NOT NULL DEFAULT 0,
    created_at     timestamptz NOT NULL,
    updated_at     timestamptz NOT NULL,
    finished_at    timestamptz
);
CREATE INDEX batches_recent ON batches (tenant_id, created_at DESC, batch_id DESC);
SELECT docket_protect('batches');

-- Identity. What it contains is the business of its versions.
CREATE TABLE documents (
    doc_id      uuid PRIMARY KEY,
    tenant_id   uuid NOT NULL REFERENCES tenants,
    source_type text NOT NULL,
    source_uri  text NOT NULL,
    title       text NOT NULL,
    -- Which way it came in, the first time.
    source      text NOT NULL,
    filename    text NOT NULL,
    mime        text NOT NULL,
    bytes_len   bigint NOT NULL,
    status      text NOT NULL CHECK (status IN ('uploaded', 'processing', 'active', 'failed', 'inactive', 'rejected')),
    error       text,
    -- Counts edits by people, for those who edit at once.
    version     int NOT NULL DEFAULT 1,
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL,
    deleted_at  timestamptz
);
CREATE UNIQUE INDEX idx_documents_source_uri ON documents (tenant_id, source_uri);
CREATE INDEX documents_recent ON documents (tenant_id, created_at DESC, doc_id DESC) WHERE deleted_at IS NULL;
CREATE INDEX documents_by_status ON documents (tenant_id, status, created_at DESC, doc_id DESC)
    WHERE deleted_at IS NULL;
SELECT docket_protect('documents');

-- Who brought a document in: everybody who uploaded it. The document's moment is repeated, so that an
-- owner's list comes out of one index in its order.
CREATE TABLE document_owners (
    tenant_id  uuid NOT NULL REFERENCES tenants,
    owner      text NOT NULL,
    doc_id     uuid NOT NULL REFERENCES documents,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (doc_id, owner)
);
CREATE INDEX document_owners_recent ON document_owners (tenant_id, owner, created_at DESC, doc_id DESC);
SELECT docket_protect('document_owners');

CREATE TABLE document_versions (
    doc_version_id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    tenant_id      uuid NOT NULL REFERENCES tenants,
    doc_id         uuid NOT NULL REFERENCES documents,
    run_id         uuid NOT NULL UNIQUE REFERENCES ingestion_runs,
    version_label  text NOT NULL,
    content_hash   text NOT NULL,
    content_sha256 bytea NOT NULL,
    is_active      boolean NOT NULL,
    created_at     timestamptz NOT NULL,
    deactivated_at timestamptz,
    FOREIGN KEY (tenant_id, content_sha256) REFERENCES blobs (tenant_id, sha256)
);
CREATE UNIQUE INDEX idx_doc_versions_one_active ON document_versions (tenant_id, doc_id) WHERE is_active;
CREATE INDEX document_versions_of_document ON document_versions (doc_id, created_at DESC);
CREATE INDEX document_versions_of_blob ON document_versions (tenant_id, content_sha256);
SELECT docket_protect('document_versions');

-- What a run works on. The janitor takes the original of what failed long ago; the run stays.
ALTER TABLE ingestion_runs
    ADD COLUMN content_sha256 bytea,
    ADD COLUMN batch_id uuid REFERENCES batches,
    ADD FOREIGN KEY (tenant_id, content_sha256) REFERENCES blobs (tenant_id, sha256)
        ON DELETE SET NULL (content_sha256);
CREATE INDEX ingestion_runs_of_document ON ingestion_runs (doc_id, created_at DESC, run_id DESC);
CREATE INDEX ingestion_runs_recent ON ingestion_runs (tenant_id, created_at DESC, run_id DESC);
CREATE INDEX ingestion_runs_of_blob ON ingestion_runs (tenant_id, content_sha256);
DROP INDEX idx_ingestion_runs_tenant_status;
CREATE INDEX idx_ingestion_runs_tenant_status ON ingestion_runs (tenant_id, status, created_at DESC, run_id DESC);

-- A batch's documents, each with the run that decides for the batch; none when it was there already.
CREATE TABLE batch_documents (
    batch_id  uuid NOT NULL REFERENCES batches,
    doc_id    uuid NOT NULL REFERENCES documents,
    tenant_id uuid NOT NULL REFERENCES tenants,
    run_id    uuid REFERENCES ingestion_runs,
    outcome   text NOT NULL,
    added_at  timestamptz NOT NULL,
    PRIMARY KEY (batch_id, doc_id)
);
CREATE INDEX batch_documents_of_run ON batch_documents (run_id);
SELECT docket_protect('batch_documents');

-- Readers follow the outbox by (xact, evt_id) up to the oldest transaction still open: what commits
-- late cannot slip in behind them.
ALTER TABLE outbox_events ADD COLUMN xact xid8 NOT NULL DEFAULT pg_current_xact_id();
CREATE INDEX outbox_events_in_order ON outbox_events (xact, evt_id);

-- Documents and batches follow their runs, whatever moved a run: it is one transaction with it.
CREATE FUNCTION docket_follow_run() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    is_deleted boolean;
BEGIN
    SELECT deleted_at IS NOT NULL INTO is_deleted FROM documents WHERE doc_id = NEW.doc_id FOR UPDATE;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;

    -- What succeeded is what is served from now on, instead of whatever was before.
    IF NEW.status = 'succeeded' AND NEW.content_sha256 IS NOT NULL THEN
        UPDATE document_versions SET is_active = false, deactivated_at = NEW.updated_at
        WHERE doc_id = NEW.doc_id AND is_active AND NOT is_deleted;
        INSERT INTO document_versions
            (tenant_id, doc_id, run_id, version_label, content_hash, content_sha256, is_active, created_at)
        VALUES (NEW.tenant_id, NEW.doc_id, NEW.run_id,
                'v' || 1 + (SELECT count(*) FROM document_versions WHERE doc_id = NEW.doc_id),
                'sha256:' || encode(NEW.content_sha256, 'hex'), NEW.content_sha256, NOT is_deleted,
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
CREATE TRIGGER document_follows AFTER UPDATE OF status ON ingestion_runs
    FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION docket_follow_run();

-- A batch is over with its last document, and says so in the same transaction.
CREATE FUNCTION docket_end_batch() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    over CONSTANT boolean := NEW.offered > 0 AND NEW.succeeded + NEW.failed >= NEW.documents
                             AND NEW.offered >= coalesce(NEW.expected, 0);
BEGIN
    IF NOT over THEN
        NEW.status := CASE WHEN NEW.offered = 0 THEN 'open' ELSE 'processing' END;
        NEW.finished_at := NULL;
        RETURN NEW;
    END IF;
    NEW.status := CASE WHEN NEW.failed = 0 AND NEW.refused = 0 THEN 'completed' ELSE 'partial' END;
    NEW.finished_at := NEW.updated_at;
    IF OLD.status IS DISTINCT FROM NEW.status OR OLD.offered <> NEW.offered THEN
        INSERT INTO outbox_events (evt_id, tenant_id, topic, payload, created_at)
        VALUES (gen_random_uuid(), NEW.tenant_id, 'batch.' || NEW.status,
                jsonb_build_object('batch_id', NEW.batch_id, 'documents', NEW.documents,
                                   'succeeded', NEW.succeeded, 'failed', NEW.failed,
                                   'refused', NEW.refused),
                NEW.updated_at);
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER batch_ends BEFORE UPDATE OF offered, documents, succeeded, failed ON batches
    FOR EACH ROW EXECUTE FUNCTION docket_end_batch();
