-- Whoever holds the one live job of a run holds the run: no stage of it begins or ends meanwhile.
SELECT job_id FROM jobs
WHERE tenant_id = $1 AND run_id = $2 AND status IN ('PENDING', 'PROCESSING')
FOR UPDATE
