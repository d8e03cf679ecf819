-- The versions of the documents of these runs ($1), for the decisions of progression.rs. A planner
-- workaround: ORDER BY and OFFSET 0 make the planner look versions up in their index by document. Otherwise, while there
-- are few versions, it would choose a plan that reads all versions, and keep it when there are many.
SELECT run.run_id,
       -- Not EXISTS, which the planner may answer by reading all versions into a hash table.
       (SELECT true FROM document_versions AS own WHERE own.run_id = run.run_id LIMIT 1) IS NOT NULL AS has_version,
       (SELECT count(*) FROM document_versions AS any_version WHERE any_version.doc_id = run.doc_id) AS versions,
       -- Withdrawn versions count too: a run that was created before such a version must not bring the document back.
       (SELECT max(served.created_at)
        FROM (SELECT run_id FROM document_versions WHERE doc_id = run.doc_id
              ORDER BY created_at DESC OFFSET 0) AS v
        JOIN ingestion_runs AS served ON served.run_id = v.run_id) AS served_run_created_at,
       -- Its own chunks, otherwise the latest existing ones of the same content under the same masks.
       coalesce((SELECT c.run_id FROM chunks AS c
                 WHERE c.tenant_id = run.tenant_id AND c.run_id = run.run_id LIMIT 1),
       (SELECT v.chunks_run_id
        FROM (SELECT run_id, chunks_run_id, content_sha256 FROM document_versions WHERE doc_id = run.doc_id
              ORDER BY created_at DESC OFFSET 0) AS v
        JOIN ingestion_runs AS made ON made.run_id = v.run_id
        WHERE v.chunks_run_id IS NOT NULL AND v.content_sha256 = run.content_sha256
          AND coalesce(made.config -> 'masks', '[]') = coalesce(run.config -> 'masks', '[]')
        ORDER BY made.created_at DESC, made.run_id DESC LIMIT 1)) AS earlier_chunks
FROM ingestion_runs AS run
WHERE run.run_id = ANY ($1)
