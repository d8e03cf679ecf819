-- Locks the one live job of a run. While it is locked, no stage of the run starts or ends.
SELECT job_id FROM jobs
WHERE tenant_id = $1 AND run_id = $2 AND status IN ('PENDING', 'PROCESSING')
FOR UPDATE
