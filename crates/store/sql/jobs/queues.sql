-- The queue of each stage, counted for one tenant ($1). Of dead jobs, only those that need attention count. $2 now, $3 a
-- minute ago. Each count has an index of its own, so that finished jobs cost nothing except those of the last minute.
WITH counts AS (
    SELECT stage, count(*) AS waiting, 0 AS paused, 0 AS in_flight, 0 AS dead,
           min(created_at) FILTER (WHERE next_run_at <= $2) AS oldest, 0 AS finished
    FROM jobs WHERE tenant_id = $1 AND status = 'PENDING' AND NOT is_paused GROUP BY stage
    UNION ALL
    SELECT stage, count(*), count(*), 0, 0, NULL, 0
    FROM jobs WHERE tenant_id = $1 AND status = 'PENDING' AND is_paused AND paused_for IS NOT NULL GROUP BY stage
    UNION ALL
    SELECT stage, 0, 0, count(*), 0, NULL, 0
    FROM jobs WHERE tenant_id = $1 AND status = 'PROCESSING' GROUP BY stage
    UNION ALL
    SELECT stage, 0, 0, 0, count(*), NULL, 0
    FROM dead_jobs WHERE tenant_id = $1 AND closed_by IS NULL GROUP BY stage
    UNION ALL
    SELECT name, 0, 0, 0, 0, NULL, count(*)
    FROM stages WHERE tenant_id = $1 AND ended_at > $3 GROUP BY name
)
SELECT stage, sum(waiting)::bigint AS waiting, sum(paused)::bigint AS paused,
       sum(in_flight)::bigint AS in_flight, sum(dead)::bigint AS dead,
       min(oldest) AS oldest, sum(finished)::bigint AS finished_last_minute
FROM counts GROUP BY stage ORDER BY stage
