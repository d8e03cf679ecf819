-- Claims jobs of several stages at once, fairly across tenants, then by priority, then by age.
-- $1 stages, $2 how many of each, $3 where the last round ended, $4 now, $5 the new lease's end,
-- $6 the worker, $7 one fresh token per job that could be claimed.
WITH RECURSIVE wanted AS (
    SELECT * FROM unnest($1::text[], $2::int[], $3::uuid[]) AS w (stage, room, last_tenant)
    WHERE room > 0
),
-- The tenants that wait, found by hopping from one to the next in the index: first those after the
-- last one served, then (lap 1) from the beginning. One more than fit are never needed.
hops (stage, room, last_tenant, lap, tenant_id, hop) AS (
    SELECT stage, room, last_tenant, start.lap, (
        SELECT tenant_id FROM jobs
        WHERE status = 'PENDING' AND stage = w.stage AND tenant_id > start.after
        ORDER BY tenant_id LIMIT 1), 1
    FROM wanted AS w,
         LATERAL (VALUES (0, w.last_tenant), (1, '00000000-0000-0000-0000-000000000000'::uuid))
             AS start (lap, after)
    UNION ALL
    SELECT stage, room, last_tenant, lap, (
        SELECT tenant_id FROM jobs
        WHERE status = 'PENDING' AND stage = h.stage AND tenant_id > h.tenant_id
        ORDER BY tenant_id LIMIT 1), hop + 1
    FROM hops AS h
    WHERE tenant_id IS NOT NULL AND hop < room
),
tenants_in_turn AS (
    SELECT stage, room, tenant_id, lap,
           count(*) OVER (PARTITION BY stage) AS tenants
    FROM hops
    WHERE tenant_id IS NOT NULL AND (lap = 0 OR tenant_id <= last_tenant)
),
-- The first few of each tenant, and the turn at which each would be taken.
candidates AS (
    SELECT t.stage, t.room, t.lap, t.tenant_id, job.job_id,
           row_number() OVER (PARTITION BY t.stage, t.tenant_id
                              ORDER BY job.priority DESC, job.next_run_at, job.job_id) AS turn
    FROM tenants_in_turn AS t,
         LATERAL (
             SELECT job_id, priority, next_run_at FROM jobs
             WHERE status = 'PENDING' AND stage = t.stage AND tenant_id = t.tenant_id
               AND next_run_at <= $4
             ORDER BY priority DESC, next_run_at, job_id
             LIMIT t.room) AS job
),
chosen AS (
    SELECT job_id FROM (
        SELECT job_id, room,
               row_number() OVER (PARTITION BY stage ORDER BY turn, lap, tenant_id) AS place
        FROM candidates) AS in_turn
    WHERE place <= room
),
-- Somebody else may be at the same ones: theirs are passed over.
locked AS (
    SELECT job_id, row_number() OVER () AS place FROM (
        SELECT job_id FROM jobs
        WHERE job_id IN (SELECT job_id FROM chosen) AND status = 'PENDING'
        FOR UPDATE SKIP LOCKED) AS free
),
claimed AS (
    UPDATE jobs
    SET status = 'PROCESSING', lease_token = ($7::uuid[])[locked.place], lease_until = $5,
        worker_id = $6, started_at = $4, updated_at = $4
    FROM locked WHERE jobs.job_id = locked.job_id
    RETURNING jobs.*
),
started AS (
    UPDATE ingestion_runs
    SET status = 'running', started_at = coalesce(ingestion_runs.started_at, $4), updated_at = $4
    FROM claimed
    WHERE ingestion_runs.run_id = claimed.run_id AND ingestion_runs.status = 'queued'
)
SELECT claimed.job_id, claimed.tenant_id, claimed.run_id, claimed.doc_id, claimed.stage,
       claimed.attempts, claimed.lease_token, claimed.trace_parent, run.pipeline
FROM claimed JOIN ingestion_runs AS run ON run.run_id = claimed.run_id
