-- Jobs that wait for something processing depends on; and documents that stay deleted whatever their runs do.

ALTER TABLE jobs
    -- How often it was paused. That uses up no attempt.
    ADD COLUMN pauses       int NOT NULL DEFAULT 0,
    -- What it waits for: set by a pause, kept while it is tried again, cleared when it gets past it.
    ADD COLUMN paused_for   text,
    ADD COLUMN paused_since timestamptz,
    -- When it was last paused or let try again.
    ADD COLUMN probed_at    timestamptz,
    -- Not to be claimed before it is resumed.
    ADD COLUMN is_paused    boolean NOT NULL DEFAULT false,
    DROP CONSTRAINT jobs_error_class_check,
    ADD CONSTRAINT jobs_error_class_check
        CHECK (error_class IN ('retry', 'permanent', 'poison', 'unavailable', 'cancelled'));

-- What is paused is in an index of its own: however much waits for a dependency, claims do not walk over it.
DROP INDEX jobs_waiting;
CREATE INDEX jobs_waiting ON jobs (stage, tenant_id, priority DESC, next_run_at, job_id)
    WHERE status = 'PENDING' AND NOT is_paused;
CREATE INDEX jobs_pause_ends ON jobs (next_run_at) WHERE status = 'PENDING' AND is_paused;
CREATE INDEX jobs_paused_for ON jobs (paused_for, probed_at) WHERE paused_for IS NOT NULL;

-- Documents and batches follow their runs, as before; a document that was deleted stays deleted.
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

    -- A document that is served stays so whatever a later run does; so does one that was deleted.
    UPDATE documents
    SET status = CASE WHEN is_deleted THEN 'inactive'
                      WHEN EXISTS (SELECT FROM document_versions
                                   WHERE doc_id = NEW.doc_id AND is_active) THEN 'active'
                      WHEN NEW.status = 'failed' THEN 'failed'
                      WHEN NEW.status = 'running' THEN 'processing'
                      WHEN NEW.status = 'queued' THEN 'uploaded'
                      ELSE status END,
        error = CASE WHEN NEW.status = 'failed' AND NOT is_deleted THEN NEW.error END,
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

SET LOCAL ROLE docket_system;
UPDATE documents SET status = 'inactive', error = NULL WHERE deleted_at IS NOT NULL AND status <> 'inactive';
RESET ROLE;
