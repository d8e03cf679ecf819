-- Writes down of the version that is served how many pages and bytes it has, where a run of $1 serves it.
UPDATE documents AS d
SET pages = (run.stats ->> 'pages')::int,
    bytes_len = coalesce(nullif((run.config ->> 'file_size_bytes')::bigint, 0), d.bytes_len)
FROM document_versions AS v JOIN ingestion_runs AS run ON run.run_id = v.run_id
WHERE v.run_id = ANY ($1) AND v.is_active AND d.doc_id = v.doc_id
  AND (d.pages IS DISTINCT FROM (run.stats ->> 'pages')::int
       OR d.bytes_len IS DISTINCT FROM coalesce(nullif((run.config ->> 'file_size_bytes')::bigint, 0), d.bytes_len))
