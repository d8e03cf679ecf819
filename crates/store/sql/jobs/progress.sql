-- Notes how far jobs are that are still the worker's own, and tells whoever follows the document.
-- $1 jobs, $2 tokens, $3 done, $4 of how many, $5 event ids, $6 now.
WITH told AS (
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::int[], $4::int[], $5::uuid[])
        AS t (job_id, token, done, total, evt_id)
),
-- Found by their ids alone, for the reason that settle.sql gives; one that is being settled is past it.
ours AS MATERIALIZED (
    SELECT told.*, job.tenant_id, job.run_id, job.doc_id, job.stage
    FROM told, LATERAL (
        SELECT jobs.tenant_id, jobs.run_id, jobs.doc_id, jobs.stage FROM jobs
        WHERE jobs.job_id = told.job_id AND jobs.status IS NOT DISTINCT FROM 'PROCESSING'
          AND jobs.lease_token = told.token
        FOR UPDATE SKIP LOCKED) AS job
),
noted AS (
    UPDATE jobs SET progress_done = ours.done, progress_total = ours.total, updated_at = $6
    FROM ours WHERE jobs.job_id = ours.job_id
)
-- For those who watch: no webhook waits for it.
INSERT INTO outbox_events (evt_id, tenant_id, topic, payload, created_at, delivered)
SELECT evt_id, tenant_id, 'document.progress',
       jsonb_build_object('doc_id', doc_id, 'run_id', run_id, 'stage', stage, 'done', done, 'total', total),
       $6, true
FROM ours
