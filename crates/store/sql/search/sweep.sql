-- Forgets, a batch at a time ($2): chunks that have not been served since a moment ($1), and changes that
-- everybody who keeps an index has heard of.
WITH old_changes AS (
    DELETE FROM search_changes WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM search_changes WHERE changed_at < now() - interval '2 hours' LIMIT $2))
)
DELETE FROM chunks WHERE chunk_id = ANY (ARRAY(
    SELECT c.chunk_id FROM chunks AS c
    WHERE c.created_at < $1
      AND NOT EXISTS (
          SELECT FROM document_versions AS v
          WHERE v.run_id = c.run_id AND (v.is_active OR v.deactivated_at >= $1))
      AND NOT EXISTS (
          SELECT FROM ingestion_runs AS r
          WHERE r.run_id = c.run_id AND r.status IN ('queued', 'running'))
    LIMIT $2))
