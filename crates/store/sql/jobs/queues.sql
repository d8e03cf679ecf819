-- How each stage's queue stands for one tenant. $2 now.
SELECT stage,
       count(*) FILTER (WHERE status = 'PENDING') AS waiting,
       count(*) FILTER (WHERE status = 'PROCESSING') AS in_flight,
       count(*) FILTER (WHERE status = 'DEAD') AS dead,
       min(created_at) FILTER (WHERE status = 'PENDING' AND next_run_at <= $2) AS oldest
FROM jobs
WHERE tenant_id = $1 AND status IN ('PENDING', 'PROCESSING', 'DEAD')
GROUP BY stage
ORDER BY stage
