-- The queue of each stage, counted over all tenants. Of dead jobs, only those that need attention count. $1 now.
WITH counts AS (
    SELECT stage, count(*) AS waiting, 0 AS paused, 0 AS in_flight, 0 AS dead,
           min(created_at) FILTER (WHERE next_run_at <= $1) AS oldest
    FROM jobs WHERE status = 'PENDING' AND NOT is_paused GROUP BY stage
    UNION ALL
    SELECT stage, count(*), count(*), 0, 0, NULL
    FROM jobs WHERE status = 'PENDING' AND is_paused AND paused_for IS NOT NULL GROUP BY stage
    UNION ALL
    SELECT stage, 0, 0, count(*), 0, NULL FROM jobs WHERE status = 'PROCESSING' GROUP BY stage
    UNION ALL
    SELECT stage, 0, 0, 0, count(*), NULL FROM dead_jobs WHERE closed_by IS NULL GROUP BY stage
)
SELECT stage, sum(waiting)::bigint AS waiting, sum(paused)::bigint AS paused,
       sum(in_flight)::bigint AS in_flight, sum(dead)::bigint AS dead,
       min(oldest) AS oldest, 0::bigint AS finished_last_minute
FROM counts GROUP BY stage ORDER BY stage
