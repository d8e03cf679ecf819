-- Stages that the audit log says were completed more than once.
SELECT count(*) FROM (
    SELECT FROM audit_log WHERE action = 'JOB_COMPLETED'
    GROUP BY detail ->> 'run_id', detail ->> 'stage' HAVING count(*) > 1) AS twice
