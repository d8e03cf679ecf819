-- Writes down of the version that is served how many pages and bytes it has, where a run of $1 serves it. The run's own
-- statistics are there when it has ended; until then its stages know.
WITH served AS (
    SELECT v.doc_id, nullif((run.config ->> 'file_size_bytes')::bigint, 0) AS bytes_len,
           coalesce((run.stats ->> 'pages')::int,
                    (SELECT max((stages.stats ->> 'pages')::int) FROM stages
                     WHERE stages.run_id = run.run_id AND stages.status = 'succeeded')) AS pages
    FROM document_versions AS v JOIN ingestion_runs AS run ON run.run_id = v.run_id
    WHERE v.run_id = ANY ($1) AND v.is_active
)
UPDATE documents AS d
SET pages = served.pages, bytes_len = coalesce(served.bytes_len, d.bytes_len)
FROM served
WHERE d.doc_id = served.doc_id
  AND (d.pages IS DISTINCT FROM served.pages
       OR d.bytes_len IS DISTINCT FROM coalesce(served.bytes_len, d.bytes_len))
