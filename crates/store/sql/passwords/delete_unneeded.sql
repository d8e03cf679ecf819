-- Deletes the passwords of originals that are no longer needed. $1: failed runs that ended before are not retried. It keeps
-- those of live runs, of failed runs that may be retried, and of the latest version of a document that its password
-- opened, for page images and reruns. Deleting a document deletes its passwords at once.
DELETE FROM secrets AS secret USING ingestion_runs AS run
WHERE secret.purpose = 'document_password' AND run.run_id = secret.secret_id
  AND run.status NOT IN ('queued', 'running')
  AND NOT (run.status = 'failed' AND run.updated_at >= $1)
  AND NOT (docket_opened_by_password(run) AND EXISTS (
      SELECT FROM document_versions AS v
      WHERE v.run_id = run.run_id AND NOT EXISTS (
          SELECT FROM document_versions AS newer
          WHERE newer.doc_id = v.doc_id AND (newer.created_at, newer.doc_version_id) > (v.created_at, v.doc_version_id))))
