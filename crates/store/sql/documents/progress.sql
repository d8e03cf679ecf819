-- The run that works on each of some documents ($2), the stage it is in, how far that is and what it waits for.
SELECT wanted.doc_id, run.run_id, job.stage, job.status IS NOT DISTINCT FROM 'PROCESSING' AS is_running,
       -- The progress of an earlier attempt says nothing about the next one.
       CASE WHEN job.status = 'PROCESSING' THEN job.progress_done END AS done,
       CASE WHEN job.status = 'PROCESSING' THEN job.progress_total END AS total,
       job.paused_for AS waiting_for
FROM unnest($2::uuid[]) AS wanted (doc_id)
-- Only the latest run: it decides the document's status.
CROSS JOIN LATERAL (
    SELECT run_id, status FROM ingestion_runs
    WHERE tenant_id = $1 AND doc_id = wanted.doc_id
    ORDER BY created_at DESC, run_id DESC LIMIT 1) AS run
LEFT JOIN LATERAL (
    SELECT stage, status, progress_done, progress_total, paused_for FROM jobs
    WHERE tenant_id = $1 AND run_id = run.run_id AND status IN ('PENDING', 'PROCESSING')
    ORDER BY status DESC LIMIT 1) AS job ON true
WHERE run.status IN ('queued', 'running')
