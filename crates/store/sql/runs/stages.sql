-- The stages of these runs ($2) that have ended, and the live job of each, with its progress. $1 tenant.
SELECT run_id, name, status, started_at, ended_at, worker_id, retries, error, artifacts,
       NULL::int AS progress_done, NULL::int AS progress_total, NULL AS waiting_for
FROM stages WHERE tenant_id = $1 AND run_id = ANY ($2)
UNION ALL
SELECT run_id, stage, lower(status), started_at, NULL, worker_id, attempts, error, '[]',
       -- The progress of an earlier attempt does not apply to the next one.
       CASE WHEN status = 'PROCESSING' THEN progress_done END, CASE WHEN status = 'PROCESSING' THEN progress_total END,
       paused_for
FROM jobs WHERE tenant_id = $1 AND run_id = ANY ($2) AND status IN ('PENDING', 'PROCESSING')
ORDER BY started_at NULLS LAST
