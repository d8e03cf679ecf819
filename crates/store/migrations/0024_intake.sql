-- What started a run, how many pages a document has, statistics under their specified names; and documents whose
-- original was updated.

ALTER TABLE ingestion_runs
    DROP CONSTRAINT ingestion_runs_run_type_check,
    ADD CONSTRAINT ingestion_runs_run_type_check
        CHECK (run_type IN ('manual_upload', 'attachment', 'rerun', 's3_sync', 'gcs_sync', 'folder_sync'));

-- Of the version that is served; null until a run has counted them.
ALTER TABLE documents ADD COLUMN pages int;

-- A document that got an updated original has an identity of its own, `document://<doc_id>`: whoever uploads one of its
-- contents does not mean this document.
CREATE INDEX documents_with_own_identity ON documents (tenant_id) WHERE source_uri LIKE 'document://%';

SET LOCAL ROLE docket_system;
UPDATE ingestion_runs SET run_type = 'rerun' WHERE config ->> 'source_type' = 'rerun';
UPDATE ingestion_runs SET run_type = 'attachment' WHERE config ? 'within' AND run_type = 'manual_upload';
UPDATE ingestion_runs
SET stats = (stats - 'chunks') || jsonb_build_object('docs_processed', 1, 'chunks_created', stats -> 'chunks')
WHERE stats ? 'chunks';
UPDATE stages
SET stats = (stats - 'chunks') || jsonb_build_object('docs_processed', 1, 'chunks_created', stats -> 'chunks')
WHERE stats ? 'chunks';
UPDATE documents AS d
SET pages = (run.stats ->> 'pages')::int
FROM document_versions AS v JOIN ingestion_runs AS run ON run.run_id = v.run_id
WHERE v.doc_id = d.doc_id AND v.is_active AND run.stats ? 'pages';
RESET ROLE;

-- The content of a document: of its active version, else of its latest run that still has its original.
CREATE FUNCTION docket_content_of(document uuid) RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT coalesce(
        (SELECT v.content_sha256 FROM document_versions AS v WHERE v.doc_id = document AND v.is_active),
        (SELECT run.content_sha256 FROM ingestion_runs AS run
         WHERE run.doc_id = document AND run.content_sha256 IS NOT NULL
         ORDER BY run.created_at DESC, run.run_id DESC LIMIT 1))
$$;

-- Whether a password is needed for the content of a document, and `proof` is the check of none that opened it: as
-- before, but only passwords of that content count, not those of an original that was replaced. A run whose original was
-- removed since locks whatever the content is.
CREATE OR REPLACE FUNCTION docket_content_locked(document uuid, proof bytea) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM ingestion_runs AS run
                   WHERE run.doc_id = document AND run.password_check IS NOT NULL AND docket_opened_by_password(run)
                     AND coalesce(run.content_sha256 = docket_content_of(document), true))
       AND NOT EXISTS (SELECT FROM ingestion_runs AS run
                       WHERE run.doc_id = document AND run.password_check = proof AND docket_opened_by_password(run)
                         AND coalesce(run.content_sha256 = docket_content_of(document), true))
$$;
