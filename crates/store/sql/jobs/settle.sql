-- Settles many jobs at once. A job whose lease token is not the reported one does not change: another worker has claimed
-- it since, and the late report has no effect.
-- $1 job ids, $2 tokens, $3 outcomes, $4 not before, $5 errors, $6 classes, $7 guidance,
-- $8 artifacts, $9 next stage, $10 the next job's id, $11 its token (NULL: any worker may claim it),
-- $12 the end of its lease, $13 its allowed retries, $14 now, $15 the statistics of the stages,
-- $16 failure codes, $17 the dependencies that paused jobs wait for
--
-- progression.rs changes the runs, documents and batches.
--
-- A planner workaround: plans are cached. A plan that is made while no job is leased takes the partial index of leased
-- jobs for empty, and would scan that index for every report instead of looking the job up by its primary key. So the
-- conditions on a status use IS NOT DISTINCT FROM, which no index can answer.
WITH reported AS MATERIALIZED (
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[], $5::text[], $6::text[],
                         $7::text[], $8::jsonb[], $9::text[], $10::uuid[], $11::uuid[],
                         $12::timestamptz[], $13::int[], $15::jsonb[], $16::text[], $17::text[])
        AS r (job_id, token, outcome, not_before, error, class, guidance, artifacts, next_stage,
              next_job_id, next_token, next_lease_until, next_max_attempts, stats, code, waits_for)
    ORDER BY job_id
),
-- The fence: the job must be leased under the reported token. All transactions lock in the same order, so that two that
-- overlap cannot deadlock.
locked AS MATERIALIZED (
    SELECT r.*, job.paused_for AS waited_for FROM reported AS r, LATERAL (
        SELECT jobs.paused_for FROM jobs
        WHERE jobs.job_id = r.job_id AND jobs.status IS NOT DISTINCT FROM 'PROCESSING'
          AND jobs.lease_token = r.token
        FOR UPDATE) AS job
),
settled AS (
    UPDATE jobs
    SET status = CASE r.outcome WHEN 'succeeded' THEN 'COMPLETED' WHEN 'failed' THEN 'DEAD'
                                ELSE 'PENDING' END,
        attempts = jobs.attempts + (r.outcome = 'retry_scheduled')::int,
        -- It was due when it was claimed, even if the clock was set back since then.
        next_run_at = coalesce(r.not_before, least(jobs.next_run_at, $14)),
        pauses = jobs.pauses + (r.outcome = 'paused')::int,
        is_paused = r.outcome = 'paused',
        -- A released job was not tried: it still waits for the same dependency.
        paused_for = CASE r.outcome WHEN 'paused' THEN r.waits_for WHEN 'released' THEN jobs.paused_for END,
        paused_since = CASE WHEN r.outcome = 'released' OR r.waits_for = jobs.paused_for THEN jobs.paused_since
                            WHEN r.outcome = 'paused' THEN $14::timestamptz END,
        probed_at = CASE r.outcome WHEN 'paused' THEN $14::timestamptz WHEN 'released' THEN jobs.probed_at END,
        error = r.error, error_class = r.class, error_code = r.code, guidance = r.guidance,
        lease_token = NULL, lease_until = NULL, updated_at = $14
    FROM locked AS r
    WHERE jobs.job_id = r.job_id
    RETURNING jobs.job_id, jobs.tenant_id, jobs.run_id, jobs.doc_id, jobs.stage, jobs.attempts,
              jobs.worker_id, jobs.started_at, jobs.priority, jobs.trace_parent, jobs.type,
              r.token, r.outcome, r.error, r.artifacts, r.next_stage, r.next_job_id, r.next_token,
              r.next_lease_until, r.next_max_attempts, r.stats, r.waits_for, r.waited_for
),
recorded AS (
    INSERT INTO stages (run_id, name, tenant_id, status, started_at, ended_at, worker_id, retries, error, artifacts,
                        stats)
    SELECT run_id, stage, tenant_id, CASE outcome WHEN 'succeeded' THEN 'succeeded' ELSE 'failed' END,
           started_at, $14, worker_id, attempts, error, coalesce(artifacts, '[]'), stats
    FROM settled WHERE outcome IN ('succeeded', 'failed')
    ON CONFLICT (run_id, name) DO UPDATE
    SET status = excluded.status, started_at = excluded.started_at, ended_at = excluded.ended_at,
        worker_id = excluded.worker_id, retries = excluded.retries, error = excluded.error,
        artifacts = excluded.artifacts, stats = excluded.stats
),
-- The job of the run's next stage, leased to the reporting worker when it continues with it.
next_jobs AS (
    INSERT INTO jobs (job_id, tenant_id, run_id, doc_id, type, stage, status, priority, max_attempts,
                      next_run_at, lease_token, lease_until, worker_id, started_at, trace_parent,
                      created_at, updated_at)
    SELECT next_job_id, tenant_id, run_id, doc_id, type, next_stage,
           CASE WHEN next_token IS NULL THEN 'PENDING' ELSE 'PROCESSING' END, priority, next_max_attempts,
           $14, next_token, next_lease_until,
           CASE WHEN next_token IS NOT NULL THEN worker_id END,
           CASE WHEN next_token IS NOT NULL THEN $14::timestamptz END, trace_parent, $14, $14
    FROM settled WHERE outcome = 'succeeded' AND next_stage IS NOT NULL
)
SELECT job_id, token, tenant_id, run_id, doc_id, stage, outcome, attempts, error, trace_parent,
       -- A pause is published once, however often the job is tried again.
       outcome = 'paused' AND waits_for IS DISTINCT FROM waited_for AS is_newly_paused,
       -- A job that succeeded after waiting for a dependency shows that the dependency works again.
       CASE WHEN outcome = 'succeeded' THEN waited_for END AS works_again,
       outcome NOT IN ('failed', 'paused') AND (outcome <> 'succeeded' OR next_stage IS NOT NULL)
           AND next_token IS NULL AS has_claimable_job
FROM settled
