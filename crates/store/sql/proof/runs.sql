-- Every run: how it stands, whether all its stages succeeded, and how many events of its end there are.
SELECT run.run_id, run.doc_id, run.status,
       (SELECT count(*) FROM stages AS s WHERE s.run_id = run.run_id AND s.status = 'succeeded')
           = cardinality(run.pipeline) AS is_whole,
       coalesce(events.told, 0) AS told
FROM ingestion_runs AS run
LEFT JOIN (
    SELECT (payload ->> 'run_id')::uuid AS run_id, count(*) AS told FROM outbox_events
    WHERE topic IN ('document.completed', 'document.failed') GROUP BY 1
) AS events ON events.run_id = run.run_id
