-- Dead jobs that need nobody's attention any more, and failures that programs can tell apart.

ALTER TABLE jobs
    -- Which failure it was, where a program can do something about it: `password_required`, `wrong_password`.
    ADD COLUMN error_code text,
    -- When an administrator discarded the failure. A job that is tried again is not discarded any more.
    ADD COLUMN discarded_at timestamptz,
    ADD CHECK (discarded_at IS NULL OR status = 'DEAD');

-- Dead jobs, and what closed them: the document was deleted or withdrawn, a later run of it took the place of the
-- job's run, or somebody discarded the failure. A dead job that nothing closed (null) needs attention; a document has
-- one at most, because only its latest run can have it. Of all this only the discarding is stored.
CREATE VIEW dead_jobs WITH (security_invoker = true) AS
SELECT job.job_id, job.tenant_id, job.doc_id, job.run_id, job.stage, job.created_at,
       CASE
           WHEN EXISTS (SELECT FROM documents AS d WHERE d.doc_id = job.doc_id AND d.deleted_at IS NOT NULL)
               THEN 'deleted'
           WHEN EXISTS (SELECT FROM ingestion_runs AS later
                        WHERE later.doc_id = job.doc_id
                          AND (later.created_at, later.run_id) > (
                              SELECT run.created_at, run.run_id FROM ingestion_runs AS run
                              WHERE run.run_id = job.run_id))
               THEN 'superseded'
           WHEN EXISTS (SELECT FROM documents AS d WHERE d.doc_id = job.doc_id AND d.status = 'inactive')
               THEN 'withdrawn'
           WHEN job.discarded_at IS NOT NULL
               THEN 'discarded'
       END AS closed_by
FROM jobs AS job
WHERE job.status = 'DEAD';
GRANT SELECT ON dead_jobs TO docket_app, docket_system;

-- Which failure the latest run of a document ended with.
CREATE FUNCTION docket_error_code(document uuid) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT job.error_code FROM jobs AS job
    WHERE job.status = 'DEAD' AND job.run_id = (
        SELECT run.run_id FROM ingestion_runs AS run WHERE run.doc_id = document
        ORDER BY run.created_at DESC, run.run_id DESC LIMIT 1)
$$;

-- The batches that a document came with.
CREATE INDEX batch_documents_of_document ON batch_documents (doc_id);

-- Failures from before this migration have only their text.
SET LOCAL ROLE docket_system;
UPDATE jobs SET error_code = CASE error WHEN 'the password does not open the file' THEN 'wrong_password'
                                        ELSE 'password_required' END
WHERE status = 'DEAD' AND error IN ('the file is encrypted and needs a password', 'the password does not open the file');
RESET ROLE;
