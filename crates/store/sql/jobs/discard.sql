-- Discards the failures of those jobs ($2) that are dead and need attention. $1 tenant, $3 now.
UPDATE jobs SET discarded_at = $3
WHERE tenant_id = $1 AND job_id = ANY ($2) AND status = 'DEAD'
  AND EXISTS (SELECT FROM dead_jobs AS dead WHERE dead.job_id = jobs.job_id AND dead.closed_by IS NULL)
RETURNING job_id, run_id, doc_id
