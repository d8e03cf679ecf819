-- One page of a tenant's jobs, newest first, after the cursor ($5, $6) when there is one, with the titles of documents
-- that are not deleted. For dead jobs, also what closed them.
WITH page AS (
    SELECT job_id, run_id, doc_id, type, stage, status, priority, attempts, max_attempts, expiries, next_run_at,
           lease_until, worker_id, started_at, error, error_class, error_code, guidance, pauses, paused_for, created_at,
           updated_at
    FROM jobs
    WHERE tenant_id = $1
      AND ($2::text IS NULL OR status = $2)
      AND ($3::text IS NULL OR stage = $3)
      AND ($4::uuid IS NULL OR run_id = $4)
      AND ($5::timestamptz IS NULL OR (created_at, job_id) < ($5, $6))
    ORDER BY created_at DESC, job_id DESC
    OFFSET $7 LIMIT $8
)
SELECT page.*, d.title AS doc_title,
       (SELECT dead.closed_by FROM dead_jobs AS dead WHERE dead.job_id = page.job_id) AS closed_by
FROM page LEFT JOIN documents AS d ON d.tenant_id = $1 AND d.doc_id = page.doc_id AND d.deleted_at IS NULL
ORDER BY page.created_at DESC, page.job_id DESC
