-- The latest run of a document's content in which all of these stages succeeded: $1 tenant, $2 document, $3 content,
-- $4 stages, $5 the masks of the new run. Artifacts of a run with other masks would show what these masks hide.
SELECT run_id FROM ingestion_runs AS run
WHERE tenant_id = $1 AND doc_id = $2 AND content_sha256 = $3
  AND coalesce(config -> 'masks', '[]') = $5::jsonb
  AND cardinality($4::text[]) = (
      SELECT count(*) FROM stages
      WHERE stages.run_id = run.run_id AND name = ANY ($4) AND stages.status = 'succeeded')
  -- The chunks of `index` are deleted after a while: a version must still have them.
  AND ('index' <> ALL ($4) OR EXISTS (
      SELECT FROM document_versions AS v JOIN ingestion_runs AS made ON made.run_id = v.run_id
      WHERE v.doc_id = run.doc_id AND v.chunks_run_id IS NOT NULL AND v.content_sha256 = run.content_sha256
        AND coalesce(made.config -> 'masks', '[]') = $5::jsonb))
ORDER BY created_at DESC, run_id DESC
LIMIT 1
