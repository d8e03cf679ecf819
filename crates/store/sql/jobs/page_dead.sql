-- One page of a tenant's dead jobs that need attention, newest first, after the cursor ($4, $5) when there is one; with
-- the titles of their documents.
WITH page AS (
    SELECT job_id, run_id, doc_id, type, stage, status, priority, attempts, max_attempts, expiries, next_run_at,
           lease_until, worker_id, started_at, error, error_class, error_code, guidance, pauses, paused_for, created_at,
           updated_at
    FROM jobs
    WHERE tenant_id = $1 AND status = 'DEAD'
      AND EXISTS (SELECT FROM dead_jobs AS dead WHERE dead.job_id = jobs.job_id AND dead.closed_by IS NULL)
      AND ($2::text IS NULL OR stage = $2)
      AND ($3::uuid IS NULL OR run_id = $3)
      AND ($4::timestamptz IS NULL OR (created_at, job_id) < ($4, $5))
    ORDER BY created_at DESC, job_id DESC
    OFFSET $6 LIMIT $7
)
SELECT page.*, d.title AS doc_title, NULL::text AS closed_by
FROM page LEFT JOIN documents AS d ON d.tenant_id = $1 AND d.doc_id = page.doc_id
ORDER BY page.created_at DESC, page.job_id DESC
