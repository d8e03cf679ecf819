-- Resets and requeues dead jobs that need attention, oldest first, at most $10. A filter that is NULL matches all.
-- $1 tenant, $2 stage, $3 class, $4 created from, $5 created before, $6 run, $7 document, $8 a part of the error in upper
-- or lower case, $9 now.
WITH chosen AS (
    SELECT job_id FROM jobs
    WHERE tenant_id = $1 AND status = 'DEAD'
      AND EXISTS (SELECT FROM dead_jobs AS dead WHERE dead.job_id = jobs.job_id AND dead.closed_by IS NULL)
      AND ($2::text IS NULL OR stage = $2)
      AND ($3::text IS NULL OR error_class = $3)
      AND ($4::timestamptz IS NULL OR created_at >= $4)
      AND ($5::timestamptz IS NULL OR created_at < $5)
      AND ($6::uuid IS NULL OR run_id = $6)
      AND ($7::uuid IS NULL OR doc_id = $7)
      AND ($8::text IS NULL OR strpos(lower(error), lower($8)) > 0)
    ORDER BY created_at, job_id
    LIMIT $10
    FOR UPDATE SKIP LOCKED
),
requeued AS (
    UPDATE jobs
    SET status = 'PENDING', attempts = 0, expiries = 0, pauses = 0, is_paused = false, paused_for = NULL,
        paused_since = NULL, probed_at = NULL, next_run_at = $9, error = NULL, error_class = NULL, error_code = NULL,
        discarded_at = NULL, guidance = NULL, updated_at = $9
    FROM chosen WHERE jobs.job_id = chosen.job_id
    RETURNING jobs.job_id, jobs.run_id
)
SELECT job_id, run_id FROM requeued ORDER BY job_id
