-- Jobs whose worker lost its lease, and when each of them was started again.
SELECT lost.run_id, lost.worker_id, lost.ts AS expired_at, (
    SELECT again.ts FROM audit_log AS again
    WHERE again.tenant_id = lost.tenant_id AND again.entity_id = lost.job_id
      AND again.action = 'JOB_STARTED' AND again.audit_id > lost.audit_id
    ORDER BY again.audit_id LIMIT 1) AS restarted_at
FROM (
    SELECT audit_id, tenant_id, entity_id AS job_id, ts, (detail ->> 'run_id')::uuid AS run_id,
           substring(detail ->> 'error' FROM '^the worker (.*) (?:stopped responding|showed no sign of life)$')
               AS worker_id
    FROM audit_log WHERE action IN ('JOB_RETRY_SCHEDULED', 'JOB_FAILED')) AS lost
WHERE lost.worker_id IS NOT NULL
