-- The paused jobs of all tenants by dependency: how many, and since when. Jobs that are being tried again count too.
SELECT paused_for AS dependency, count(*) AS jobs, min(paused_since) AS since
FROM jobs
WHERE paused_for IS NOT NULL AND status IN ('PENDING', 'PROCESSING')
GROUP BY paused_for
ORDER BY paused_for
