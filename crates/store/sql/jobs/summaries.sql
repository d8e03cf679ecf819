-- The status of these jobs ($2), and what closed the dead ones. $1 tenant.
SELECT job_id, status, (SELECT dead.closed_by FROM dead_jobs AS dead WHERE dead.job_id = jobs.job_id) AS closed_by
FROM jobs WHERE tenant_id = $1 AND job_id = ANY ($2)
