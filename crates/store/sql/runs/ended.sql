-- The ended runs of these jobs ($1): how long they waited and took, in total and by stage. A planner workaround: runs are
-- looked up by their ids, and IS NOT DISTINCT FROM keeps the planner from reading an index of all runs by status.
SELECT run.run_id, run.tenant_id, run.doc_id, run.status,
       (run.stats ->> 'chunks_created')::bigint AS chunks_created,
       (run.stats ->> 'tokens_total')::bigint AS tokens_total,
       (extract(epoch FROM run.finished_at - run.started_at) * 1000)::bigint AS duration_ms,
       (extract(epoch FROM run.started_at - run.created_at) * 1000)::bigint AS queue_wait_ms,
       (SELECT coalesce(jsonb_object_agg(
                   s.name || '_ms', (extract(epoch FROM s.ended_at - s.started_at) * 1000)::bigint), '{}')
        FROM stages AS s WHERE s.run_id = run.run_id) AS stages
FROM ingestion_runs AS run
WHERE run.run_id = ANY (ARRAY(SELECT j.run_id FROM jobs AS j WHERE j.job_id = ANY ($1)))
  AND (run.status IS NOT DISTINCT FROM 'succeeded' OR run.status IS NOT DISTINCT FROM 'failed')
