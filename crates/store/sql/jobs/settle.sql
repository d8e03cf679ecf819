-- Reports what became of many jobs at once. A job whose lease token is not the reported one any more
-- is left alone: somebody else has taken it over, and the late report changes nothing.
-- $1 job ids, $2 tokens, $3 outcomes, $4 not before, $5 errors, $6 classes, $7 guidance,
-- $8 artifacts, $9 next stage, $10 the next job's id, $11 its token (null: anybody may claim it),
-- $12 its lease's end, $13 its allowed retries, $14 event ids, $15 now, $16 what the stages counted,
-- $17 codes of failures, $18 the dependencies that paused jobs wait for
--
-- Plans are kept, and one made while nothing is leased takes the list of what is leased for empty and
-- would rather walk it for every report than look up a job. So jobs are found by their id alone here,
-- and conditions on a status are written so that no index answers them.
WITH reported AS MATERIALIZED (
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[], $5::text[], $6::text[],
                         $7::text[], $8::jsonb[], $9::text[], $10::uuid[], $11::uuid[],
                         $12::timestamptz[], $13::int[], $14::uuid[], $16::jsonb[], $17::text[],
                         $18::text[])
        AS r (job_id, token, outcome, not_before, error, class, guidance, artifacts, next_stage,
              next_job_id, next_token, next_lease_until, next_max_attempts, evt_id, stats, code, waits_for)
    ORDER BY job_id
),
-- The fence: state and token must still be the reporter's. Locked in one order for all, so that two
-- reports that overlap wait for each other and not both ways.
ours AS MATERIALIZED (
    SELECT r.*, locked.paused_for AS waited_for FROM reported AS r, LATERAL (
        SELECT jobs.paused_for FROM jobs
        WHERE jobs.job_id = r.job_id AND jobs.status IS NOT DISTINCT FROM 'PROCESSING'
          AND jobs.lease_token = r.token
        FOR UPDATE) AS locked
),
settled AS (
    UPDATE jobs
    SET status = CASE r.outcome WHEN 'succeeded' THEN 'COMPLETED' WHEN 'given_up' THEN 'DEAD'
                                ELSE 'PENDING' END,
        attempts = jobs.attempts + (r.outcome = 'put_off')::int,
        -- It was due when it was claimed, even if the clock was set back since.
        next_run_at = coalesce(r.not_before, least(jobs.next_run_at, $15)),
        pauses = jobs.pauses + (r.outcome = 'paused')::int,
        is_paused = r.outcome = 'paused',
        -- What was handed back was not tried: it waits for what it waited for.
        paused_for = CASE r.outcome WHEN 'paused' THEN r.waits_for WHEN 'released' THEN jobs.paused_for END,
        paused_since = CASE WHEN r.outcome = 'released' OR r.waits_for = jobs.paused_for THEN jobs.paused_since
                            WHEN r.outcome = 'paused' THEN $15::timestamptz END,
        probed_at = CASE r.outcome WHEN 'paused' THEN $15::timestamptz WHEN 'released' THEN jobs.probed_at END,
        error = r.error, error_class = r.class, error_code = r.code, guidance = r.guidance,
        lease_token = NULL, lease_until = NULL, updated_at = $15
    FROM ours AS r
    WHERE jobs.job_id = r.job_id
    RETURNING jobs.job_id, jobs.tenant_id, jobs.run_id, jobs.doc_id, jobs.stage, jobs.attempts,
              jobs.worker_id, jobs.started_at, jobs.priority, jobs.trace_parent, jobs.type,
              r.token, r.outcome, r.error, r.artifacts, r.next_stage, r.next_job_id, r.next_token,
              r.next_lease_until, r.next_max_attempts, r.evt_id, r.stats, r.code, r.waits_for, r.waited_for
),
recorded AS (
    INSERT INTO stages (run_id, name, tenant_id, status, started_at, ended_at, worker_id, retries, error, artifacts,
                        stats)
    SELECT run_id, stage, tenant_id, CASE outcome WHEN 'succeeded' THEN 'succeeded' ELSE 'failed' END,
           started_at, $15, worker_id, attempts, error, coalesce(artifacts, '[]'), stats
    FROM settled WHERE outcome IN ('succeeded', 'given_up')
    ON CONFLICT (run_id, name) DO UPDATE
    SET status = excluded.status, started_at = excluded.started_at, ended_at = excluded.ended_at,
        worker_id = excluded.worker_id, retries = excluded.retries, error = excluded.error,
        artifacts = excluded.artifacts, stats = excluded.stats
),
-- The next stage of the run, already leased to the reporter when it can go on with it.
followed AS (
    INSERT INTO jobs (job_id, tenant_id, run_id, doc_id, type, stage, status, priority, max_attempts,
                      next_run_at, lease_token, lease_until, worker_id, started_at, trace_parent,
                      created_at, updated_at)
    SELECT next_job_id, tenant_id, run_id, doc_id, type, next_stage,
           CASE WHEN next_token IS NULL THEN 'PENDING' ELSE 'PROCESSING' END, priority, next_max_attempts,
           $15, next_token, next_lease_until,
           CASE WHEN next_token IS NOT NULL THEN worker_id END,
           CASE WHEN next_token IS NOT NULL THEN $15::timestamptz END, trace_parent, $15, $15
    FROM settled WHERE outcome = 'succeeded' AND next_stage IS NOT NULL
),
ended AS (
    UPDATE ingestion_runs AS run
    SET status = CASE s.outcome WHEN 'succeeded' THEN 'succeeded' ELSE 'failed' END,
        error = CASE s.outcome WHEN 'succeeded' THEN NULL ELSE s.error END,
        -- This stage's own row is not there yet for this statement to see.
        stats = CASE WHEN s.outcome = 'succeeded' AND cardinality(run.pipeline) > 1 THEN run.stats || coalesce((
                    SELECT jsonb_object_agg(counted.key, counted.value)
                    FROM stages, jsonb_each(stages.stats) AS counted
                    WHERE stages.run_id = run.run_id AND stages.status = 'succeeded'), '{}')
                ELSE run.stats END || coalesce(s.stats, '{}'),
        finished_at = $15, updated_at = $15
    FROM settled AS s
    WHERE run.run_id = s.run_id AND run.status IS NOT DISTINCT FROM 'running'
      AND (s.outcome = 'given_up' OR (s.outcome = 'succeeded' AND s.next_stage IS NULL))
    RETURNING s.*
),
told AS (
    INSERT INTO outbox_events (evt_id, tenant_id, topic, payload, created_at)
    SELECT evt_id, tenant_id,
           CASE outcome WHEN 'succeeded' THEN 'document.completed' ELSE 'document.failed' END,
           jsonb_build_object('doc_id', doc_id, 'run_id', run_id, 'stage', stage, 'error', error, 'code', code), $15
    FROM ended
),
-- Once, however often it is tried in vain. For those who watch: no webhook waits for it.
told_of_pause AS (
    INSERT INTO outbox_events (evt_id, tenant_id, topic, payload, created_at, delivered)
    SELECT evt_id, tenant_id, 'document.paused',
           jsonb_build_object('doc_id', doc_id, 'run_id', run_id, 'stage', stage, 'waiting_for', waits_for), $15, true
    FROM settled WHERE outcome = 'paused' AND waits_for IS DISTINCT FROM waited_for
)
SELECT job_id, token, tenant_id, run_id, doc_id, stage, outcome, attempts, error, trace_parent,
       -- What got past a dependency that it waited for shows that it works again.
       CASE WHEN outcome = 'succeeded' THEN waited_for END AS works_again,
       outcome NOT IN ('given_up', 'paused') AND (outcome <> 'succeeded' OR next_stage IS NOT NULL)
           AND next_token IS NULL AS work_waits
FROM settled
