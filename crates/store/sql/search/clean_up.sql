-- Deletes, at most $2 of each: chunks that no version used since a moment ($1), and changes that all search indexes have
-- read.
WITH old_changes AS (
    DELETE FROM search_changes WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM search_changes WHERE changed_at < now() - interval '2 hours' LIMIT $2))
),
old AS MATERIALIZED (
    SELECT c.chunk_id, c.run_id FROM chunks AS c
    WHERE c.created_at < $1
      AND NOT EXISTS (
          SELECT FROM document_versions AS v
          WHERE v.chunks_run_id = c.run_id AND (v.is_active OR v.deactivated_at >= $1))
      -- A live run may create a version that uses them.
      AND NOT EXISTS (
          SELECT FROM ingestion_runs AS r
          WHERE r.doc_id = c.doc_id AND r.status IN ('queued', 'running'))
    LIMIT $2
),
-- Versions that use them are no longer searchable, because only some of their chunks may be left.
incomplete AS (
    UPDATE document_versions AS v SET chunks_run_id = NULL
    FROM (SELECT DISTINCT run_id FROM old) AS deleted WHERE v.chunks_run_id = deleted.run_id
)
DELETE FROM chunks WHERE chunk_id IN (SELECT chunk_id FROM old)
