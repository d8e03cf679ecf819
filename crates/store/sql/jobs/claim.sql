-- Claims jobs of several stages at once, fairly across tenants, then by priority, then by age.
-- $1 stages in the pipeline's order, $2 how many of each, $3 whose turn it was last, $4 the new
-- leases' ends, $5 now, $6 the worker, $7 fresh tokens, $8 the tenants with jobs under way in this worker, which get
-- none of the reserved slots, $9 of which stages the room is a reserved slot, $10 the most jobs of all other stages
-- together. Tokens from $10 + 1 on are for reserved slots. Jobs that are paused are in no list that is walked here.
WITH RECURSIVE wanted AS MATERIALIZED (
    SELECT * FROM unnest($1::text[], $2::int[], $3::uuid[], $4::timestamptz[], $9::boolean[]) WITH ORDINALITY
        AS w (stage, room, last_tenant, lease_until, is_reserved, rank)
    WHERE room > 0
),
-- The tenants that wait, found by hopping from one to the next in the index: first those after the
-- last one served, then (lap 1) from the beginning up to it. One who gets nothing, or whose jobs are
-- all put off, is passed over and takes nobody's place; the hopping ends when `room` tenants have work
-- that is due.
hops (stage, rank, room, last_tenant, lease_until, is_reserved, lap, last_hop, tenant_id, is_due, due) AS (
    SELECT w.stage, w.rank, w.room, w.last_tenant, w.lease_until, w.is_reserved, start.lap, start.last_hop,
           next.tenant_id, next.is_due, next.is_due::int
    FROM wanted AS w,
         LATERAL (VALUES (0, w.last_tenant, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid),
                         (1, '00000000-0000-0000-0000-000000000000'::uuid, w.last_tenant))
             AS start (lap, after, last_hop),
         LATERAL (
             SELECT j.tenant_id, NOT (w.is_reserved AND j.tenant_id = ANY ($8)) AND EXISTS (
                 SELECT FROM jobs AS d
                 WHERE d.status = 'PENDING' AND NOT d.is_paused AND d.stage = w.stage AND d.tenant_id = j.tenant_id
                   AND d.next_run_at <= $5) AS is_due
             FROM jobs AS j
             WHERE j.status = 'PENDING' AND NOT j.is_paused AND j.stage = w.stage
               AND j.tenant_id > start.after AND j.tenant_id <= start.last_hop
             ORDER BY j.tenant_id LIMIT 1) AS next
    UNION ALL
    SELECT h.stage, h.rank, h.room, h.last_tenant, h.lease_until, h.is_reserved, h.lap, h.last_hop,
           next.tenant_id, next.is_due, h.due + next.is_due::int
    FROM hops AS h,
         LATERAL (
             SELECT j.tenant_id, NOT (h.is_reserved AND j.tenant_id = ANY ($8)) AND EXISTS (
                 SELECT FROM jobs AS d
                 WHERE d.status = 'PENDING' AND NOT d.is_paused AND d.stage = h.stage AND d.tenant_id = j.tenant_id
                   AND d.next_run_at <= $5) AS is_due
             FROM jobs AS j
             WHERE j.status = 'PENDING' AND NOT j.is_paused AND j.stage = h.stage
               AND j.tenant_id > h.tenant_id AND j.tenant_id <= h.last_hop
             ORDER BY j.tenant_id LIMIT 1) AS next
    WHERE h.due < h.room
),
-- An equal share each. Who leaves some of it leaves it to the next claim.
sharing AS (
    SELECT stage, rank, room, lease_until, is_reserved, lap, tenant_id,
           (room - 1) / count(*) OVER (PARTITION BY stage) + 1 AS share
    FROM hops WHERE is_due
),
-- The first few of each tenant that nobody else is claiming, and the turn at which each is taken.
candidates AS MATERIALIZED (
    SELECT s.stage, s.rank, s.room, s.lease_until, s.is_reserved, s.lap, s.tenant_id, job.job_id,
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
-- Turn by turn; within a turn later stages first, so that what was begun gets done.
chosen AS (
    SELECT job_id, lease_until, is_reserved,
           row_number() OVER (PARTITION BY is_reserved ORDER BY turn, rank DESC, lap, tenant_id)
               + CASE WHEN is_reserved THEN $10::int ELSE 0 END AS place
    FROM (
        SELECT *, row_number() OVER (PARTITION BY stage ORDER BY turn, lap, tenant_id) AS place_in_stage
        FROM candidates) AS in_turn
    WHERE place_in_stage <= room
),
claimed AS (
    UPDATE jobs
    SET status = 'PROCESSING', lease_token = ($7::uuid[])[chosen.place], lease_until = chosen.lease_until,
        worker_id = $6, started_at = $5, updated_at = $5, progress_done = NULL, progress_total = NULL
    FROM chosen WHERE jobs.job_id = chosen.job_id AND (chosen.is_reserved OR chosen.place <= $10)
    RETURNING jobs.*, chosen.place
),
-- The runs' sign of life. Those that are queued are moved by progression.rs. A run that was cancelled before it
-- started and then retried has no start time yet.
alive AS (
    UPDATE ingestion_runs AS run
    SET started_at = coalesce(run.started_at, $5), updated_at = $5
    FROM claimed
    WHERE run.run_id = claimed.run_id AND run.status IS DISTINCT FROM 'queued'
)
SELECT claimed.job_id, claimed.tenant_id, claimed.run_id, claimed.doc_id, claimed.stage, claimed.attempts,
       claimed.max_attempts, claimed.pauses, claimed.lease_token, claimed.trace_parent, run.pipeline, run.config,
       run.content_sha256, run.status = 'queued' AS starts_run,
       (SELECT sealed FROM secrets
        WHERE secrets.tenant_id = run.tenant_id AND purpose = 'document_password' AND secret_id = run.run_id)
           AS sealed_password,
       -- How long it could have been worked on by somebody.
       (extract(epoch FROM $5 - greatest(claimed.created_at, claimed.next_run_at)) * 1000)::bigint AS waited_ms,
       -- What the stages before it left. The first one has none.
       CASE WHEN claimed.stage <> run.pipeline[1] THEN (
           SELECT jsonb_object_agg(name, artifacts) FROM stages
           WHERE stages.run_id = run.run_id AND stages.status = 'succeeded') END AS earlier
FROM claimed JOIN ingestion_runs AS run ON run.run_id = claimed.run_id
ORDER BY claimed.place
