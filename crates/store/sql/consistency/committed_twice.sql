-- How many stages were completed more than once, according to the audit log.
SELECT count(*) FROM (
    SELECT FROM audit_log WHERE action = 'JOB_COMPLETED'
    GROUP BY detail ->> 'run_id', detail ->> 'stage' HAVING count(*) > 1) AS twice
