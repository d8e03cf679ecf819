-- Sets the pages and bytes of documents whose active version belongs to one of these runs ($1). A planner workaround: the
-- versions are looked up by their runs first. Without statistics, the planner would otherwise read the whole index of
-- active versions.
WITH version AS MATERIALIZED (
    SELECT doc_id, run_id, is_active FROM document_versions WHERE run_id = ANY ($1)
)
UPDATE documents AS d
SET pages = counted.pages, bytes_len = coalesce(counted.bytes_len, d.bytes_len)
FROM (
    SELECT v.doc_id, nullif((run.config ->> 'file_size_bytes')::bigint, 0) AS bytes_len,
           -- Before a run has ended, only its stages have the counts.
           coalesce((run.stats ->> 'pages')::int, (
               SELECT max((s.stats ->> 'pages')::int) FROM stages AS s
               WHERE s.run_id = run.run_id AND s.status = 'succeeded')) AS pages
    FROM version AS v JOIN ingestion_runs AS run ON run.run_id = v.run_id
    WHERE v.is_active) AS counted
WHERE d.doc_id = counted.doc_id
  AND (d.pages, d.bytes_len) IS DISTINCT FROM (counted.pages, coalesce(counted.bytes_len, d.bytes_len))
