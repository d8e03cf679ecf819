-- Every run: its status, whether all its stages succeeded, and how many events of its end exist.
SELECT run.run_id, run.doc_id, run.status,
       (SELECT count(*) FROM stages AS s WHERE s.run_id = run.run_id AND s.status = 'succeeded')
           = cardinality(run.pipeline) AS all_stages_succeeded,
       coalesce(events.count, 0) AS end_events
FROM ingestion_runs AS run
LEFT JOIN (
    SELECT (payload ->> 'run_id')::uuid AS run_id, count(*) AS count FROM outbox_events
    WHERE topic IN ('document.completed', 'document.failed') GROUP BY 1
) AS events ON events.run_id = run.run_id
