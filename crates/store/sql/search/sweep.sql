-- Forgets, a batch at a time ($2): chunks that have not been served since a moment ($1), and changes that
-- everybody who keeps an index has heard of.
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
      -- A run under way may make a version that takes them over.
      AND NOT EXISTS (
          SELECT FROM ingestion_runs AS r
          WHERE r.doc_id = c.doc_id AND r.status IN ('queued', 'running'))
    LIMIT $2
),
-- No version can be searched by what is left of them.
incomplete AS (
    UPDATE document_versions AS v SET chunks_run_id = NULL
    FROM (SELECT DISTINCT run_id FROM old) AS made WHERE v.chunks_run_id = made.run_id
)
DELETE FROM chunks WHERE chunk_id IN (SELECT chunk_id FROM old)
