-- The facts that decide the version and the state of a new result: $1 document, $2 run. The caller holds the lock of the
-- document's results.
SELECT run.created_at AS run_created_at,
       -- The run has a result already.
       EXISTS (SELECT FROM results AS r WHERE r.run_id = $2 AND r.promoted_from IS NULL) AS is_repeated,
       coalesce((SELECT max(r.result_version) FROM results AS r WHERE r.doc_id = $1), 0) AS last_version,
       current.is_reviewed,
       current.content_hash IS NOT DISTINCT FROM run.config ->> 'content_hash' AS has_same_content,
       (SELECT max(other.created_at) FROM results AS r JOIN ingestion_runs AS other ON other.run_id = r.run_id
        WHERE r.doc_id = $1 AND r.state IN ('current', 'waiting')) AS latest_run_created_at
FROM ingestion_runs AS run
LEFT JOIN (
    SELECT r.is_reviewed, its_run.config ->> 'content_hash' AS content_hash
    FROM results AS r JOIN ingestion_runs AS its_run ON its_run.run_id = r.run_id
    WHERE r.doc_id = $1 AND r.state = 'current') AS current ON true
WHERE run.run_id = $2 AND run.doc_id = $1
