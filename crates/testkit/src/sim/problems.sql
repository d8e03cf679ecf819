-- Everything that does not agree with everything else, in words. $1 tenants, $2 how many runs.
WITH runs AS (
    SELECT * FROM ingestion_runs WHERE tenant_id = ANY($1)
),
job AS (
    SELECT jobs.*, run.status AS run_status, run.pipeline,
           (SELECT status FROM stages WHERE stages.run_id = jobs.run_id AND name = jobs.stage) AS stage_status,
           (SELECT count(*) FROM audit_log WHERE tenant_id = jobs.tenant_id AND entity_id = jobs.job_id
               AND action = 'JOB_COMPLETED') AS completions,
           (SELECT count(*) FROM audit_log WHERE tenant_id = jobs.tenant_id AND entity_id = jobs.job_id
               AND action = 'JOB_FAILED') AS failures,
           (SELECT count(*) FROM audit_log WHERE tenant_id = jobs.tenant_id AND entity_id = jobs.job_id
               AND action = 'JOB_RETRIED_BY_ADMIN') AS revivals
    FROM jobs JOIN runs AS run USING (run_id)
),
run AS (
    SELECT run.run_id, run.status, run.started_at, run.finished_at, cardinality(run.pipeline) AS stages,
           (SELECT count(*) FROM job WHERE job.run_id = run.run_id AND job.status = 'COMPLETED') AS completed,
           (SELECT count(*) FROM job WHERE job.run_id = run.run_id AND job.status = 'DEAD') AS dead,
           (SELECT coalesce(sum(failures), 0) FROM job WHERE job.run_id = run.run_id) AS failures,
           (SELECT coalesce(sum(revivals), 0) FROM job WHERE job.run_id = run.run_id) AS revivals,
           (SELECT count(*) FROM audit_log WHERE tenant_id = run.tenant_id AND entity_id = run.run_id
               AND action = 'RUN_CANCELLED') AS cancellations,
           (SELECT count(*) FROM outbox_events AS e WHERE e.tenant_id = run.tenant_id
               AND e.payload->>'run_id' = run.run_id::text AND topic = 'document.completed') AS told_completed,
           (SELECT count(*) FROM outbox_events AS e WHERE e.tenant_id = run.tenant_id
               AND e.payload->>'run_id' = run.run_id::text AND topic = 'document.failed') AS told_failed
    FROM runs AS run
)
SELECT 'there are ' || count(*) || ' runs, not ' || $2::bigint FROM runs HAVING count(*) <> $2
UNION ALL
SELECT 'the job ' || job_id || ' is ' || status || ' in a run that is ' || run_status
FROM job WHERE status IN ('PENDING', 'PROCESSING')
UNION ALL
SELECT 'the job ' || job_id || ' is ' || status || ', its stage ' || coalesce(stage_status, 'not there')
       || ', and ' || completions || ' completions were audited'
FROM job
WHERE (status = 'COMPLETED') <> (coalesce(stage_status, '') = 'succeeded')
   OR (status = 'COMPLETED')::int <> completions
UNION ALL
SELECT 'the run ' || run_id || ' is ' || status || ' with ' || completed || ' of ' || stages
       || ' stages done and ' || dead || ' dead'
FROM run
WHERE (status = 'succeeded') <> (completed = stages) OR (status = 'failed') <> (dead = 1)
   OR status NOT IN ('succeeded', 'failed') OR finished_at IS NULL
   OR (completed > 0 AND started_at IS NULL)
UNION ALL
SELECT 'the run ' || run_id || ' is ' || status || ' after ' || failures || ' failures, ' || cancellations
       || ' cancellations and ' || revivals || ' retries, and the world was told of ' || told_completed
       || ' completions and ' || told_failed || ' failures'
FROM run
WHERE told_completed <> (status = 'succeeded')::int OR told_failed <> failures + cancellations
   OR told_completed + told_failed <> revivals + 1
