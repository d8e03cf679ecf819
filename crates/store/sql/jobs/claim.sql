-- Claims jobs of several stages at once, fairly across tenants, then by priority, then by age.
-- $1 stages in the pipeline's order, $2 how many of each, $3 the tenant that was served last, $4 the ends of the new
-- leases, $5 now, $6 the worker, $7 new tokens, $8 the tenants with running jobs in this worker, which get no reserved
-- slot, $9 for which stages the slot is a reserved one, $10 the most jobs of all other stages together. Tokens from
-- $10 + 1 on are for reserved slots. Paused jobs are not in the indexes that this statement reads.
WITH RECURSIVE requested AS MATERIALIZED (
    SELECT * FROM unnest($1::text[], $2::int[], $3::uuid[], $4::timestamptz[], $9::boolean[]) WITH ORDINALITY
        AS w (stage, slots, last_tenant, lease_until, is_reserved, rank)
    WHERE slots > 0
),
-- The tenants with pending jobs, found by an index skip scan: first those after the tenant that was served last, then
-- (lap 1) from the beginning up to it. A tenant without a job that is due, or that may not use a reserved slot, is
-- skipped and does not count. The scan ends when `slots` tenants have jobs that are due. A planner workaround: the long
-- ORDER BYs are the order of the index jobs_waiting. While all jobs are pending, the planner would otherwise choose any
-- index with a tenant or a stage, and read all finished jobs once there are some.
hops (stage, rank, slots, last_tenant, lease_until, is_reserved, lap, last_hop, tenant_id, is_due, due) AS (
    SELECT w.stage, w.rank, w.slots, w.last_tenant, w.lease_until, w.is_reserved, start.lap, start.last_hop,
           next.tenant_id, next.is_due, next.is_due::int
    FROM requested AS w,
         LATERAL (VALUES (0, w.last_tenant, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid),
                         (1, '00000000-0000-0000-0000-000000000000'::uuid, w.last_tenant))
             AS start (lap, after, last_hop),
         LATERAL (
             SELECT j.tenant_id, NOT (w.is_reserved AND j.tenant_id = ANY ($8)) AND (
                 SELECT true FROM jobs AS d
                 WHERE d.status = 'PENDING' AND NOT d.is_paused AND d.stage = w.stage AND d.tenant_id = j.tenant_id
                   AND d.next_run_at <= $5
                 ORDER BY d.priority DESC, d.next_run_at, d.job_id LIMIT 1) IS NOT NULL AS is_due
             FROM jobs AS j
             WHERE j.status = 'PENDING' AND NOT j.is_paused AND j.stage = w.stage
               AND j.tenant_id > start.after AND j.tenant_id <= start.last_hop
             ORDER BY j.tenant_id, j.priority DESC, j.next_run_at, j.job_id LIMIT 1) AS next
    UNION ALL
    SELECT h.stage, h.rank, h.slots, h.last_tenant, h.lease_until, h.is_reserved, h.lap, h.last_hop,
           next.tenant_id, next.is_due, h.due + next.is_due::int
    FROM hops AS h,
         LATERAL (
             SELECT j.tenant_id, NOT (h.is_reserved AND j.tenant_id = ANY ($8)) AND (
                 SELECT true FROM jobs AS d
                 WHERE d.status = 'PENDING' AND NOT d.is_paused AND d.stage = h.stage AND d.tenant_id = j.tenant_id
                   AND d.next_run_at <= $5
                 ORDER BY d.priority DESC, d.next_run_at, d.job_id LIMIT 1) IS NOT NULL AS is_due
             FROM jobs AS j
             WHERE j.status = 'PENDING' AND NOT j.is_paused AND j.stage = h.stage
               AND j.tenant_id > h.tenant_id AND j.tenant_id <= h.last_hop
             ORDER BY j.tenant_id, j.priority DESC, j.next_run_at, j.job_id LIMIT 1) AS next
    WHERE h.due < h.slots
),
-- Each tenant gets an equal share of the slots. Slots that a tenant does not fill stay free until the next claim.
sharing AS (
    SELECT stage, rank, slots, lease_until, is_reserved, lap, tenant_id,
           (slots - 1) / count(*) OVER (PARTITION BY stage) + 1 AS share
    FROM hops WHERE is_due
),
-- The first jobs of each tenant that no other claim has locked, numbered by turn.
candidates AS MATERIALIZED (
    SELECT s.stage, s.rank, s.slots, s.lease_until, s.is_reserved, s.lap, s.tenant_id, job.job_id,
           row_number() OVER (PARTITION BY s.stage, s.tenant_id
                              ORDER BY job.priority DESC, job.next_run_at, job.job_id) AS turn
    FROM sharing AS s,
         LATERAL (
             SELECT job_id, priority, next_run_at FROM jobs
             WHERE status = 'PENDING' AND NOT is_paused AND stage = s.stage AND tenant_id = s.tenant_id
               AND next_run_at <= $5
             ORDER BY priority DESC, next_run_at, job_id
             LIMIT s.share
             FOR UPDATE SKIP LOCKED) AS job
),
-- By turn; within a turn the later stages first, so that runs that have begun are completed.
chosen AS (
    SELECT job_id, lease_until, is_reserved,
           row_number() OVER (PARTITION BY is_reserved ORDER BY turn, rank DESC, lap, tenant_id)
               + CASE WHEN is_reserved THEN $10::int ELSE 0 END AS ordinal
    FROM (
        SELECT *, row_number() OVER (PARTITION BY stage ORDER BY turn, lap, tenant_id) AS number_in_stage
        FROM candidates) AS in_turn
    WHERE number_in_stage <= slots
),
claimed AS (
    UPDATE jobs
    SET status = 'PROCESSING', lease_token = ($7::uuid[])[chosen.ordinal], lease_until = chosen.lease_until,
        worker_id = $6, started_at = $5, updated_at = $5, progress_done = NULL, progress_total = NULL
    FROM chosen WHERE jobs.job_id = chosen.job_id AND (chosen.is_reserved OR chosen.ordinal <= $10)
    RETURNING jobs.*, chosen.ordinal
),
-- Shows that the runs are alive (stale runs are found by updated_at). progression.rs starts the queued ones. A run that
-- was cancelled before it started, and then retried, has no start time yet. A planner workaround: with an array the runs
-- are looked up by their ids. As a join, and while all runs are queued, the planner would read all runs instead.
touched AS (
    UPDATE ingestion_runs AS run
    SET started_at = coalesce(run.started_at, $5), updated_at = $5
    WHERE run.run_id = ANY (ARRAY(SELECT run_id FROM claimed)) AND run.status IS DISTINCT FROM 'queued'
)
SELECT claimed.job_id, claimed.tenant_id, claimed.run_id, claimed.doc_id, claimed.stage, claimed.attempts,
       claimed.max_attempts, claimed.pauses, claimed.lease_token, claimed.trace_parent, run.pipeline, run.config,
       run.content_sha256, run.status = 'queued' AS starts_run,
       (SELECT sealed FROM secrets
        WHERE secrets.tenant_id = run.tenant_id AND purpose = 'document_password' AND secret_id = run.run_id)
           AS sealed_password,
       -- How long the job has been due.
       (extract(epoch FROM $5 - greatest(claimed.created_at, claimed.next_run_at)) * 1000)::bigint AS waited_ms,
       -- The artifacts of the earlier stages. The first stage has none.
       CASE WHEN claimed.stage <> run.pipeline[1] THEN (
           SELECT jsonb_object_agg(name, artifacts) FROM stages
           WHERE stages.run_id = run.run_id AND stages.status = 'succeeded') END AS earlier
FROM claimed JOIN ingestion_runs AS run ON run.run_id = claimed.run_id
ORDER BY claimed.ordinal
