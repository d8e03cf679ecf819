-- Writes the decisions of progression.rs. lock.sql has locked the rows of runs and documents.
-- $1 now; runs that change their state: $2 ids, $3 states, $4 errors, $5 the change of their batches' count of successes
-- and $6 of failures; documents: $7 ids, $8 states, $9 errors; new versions: $10 ids, $11 runs, $12 labels, $13 whether
-- they are active, $14 the runs that created their chunks.
WITH run AS (
    UPDATE ingestion_runs AS run
    SET status = changed.status, error = changed.error,
        -- A run that is retried keeps its start time; one that has none gets it when its job is claimed.
        started_at = CASE WHEN run.status IS NOT DISTINCT FROM 'queued' AND changed.status = 'running' THEN $1
                          ELSE run.started_at END,
        stats = CASE WHEN changed.status = 'succeeded' THEN run.stats || coalesce((
                    SELECT jsonb_object_agg(counted.key, counted.value ORDER BY stages.ended_at)
                    FROM stages, jsonb_each(stages.stats) AS counted
                    WHERE stages.run_id = run.run_id AND stages.status = 'succeeded'), '{}')
                ELSE run.stats END,
        finished_at = CASE WHEN changed.status IN ('succeeded', 'failed') THEN $1 END,
        updated_at = $1
    FROM unnest($2::uuid[], $3::text[], $4::text[]) AS changed (run_id, status, error)
    WHERE run.run_id = changed.run_id
),
document AS (
    UPDATE documents AS d SET status = changed.status, error = changed.error, updated_at = $1
    FROM unnest($7::uuid[], $8::text[], $9::text[]) AS changed (doc_id, status, error)
    WHERE d.doc_id = changed.doc_id
),
new_versions AS MATERIALIZED (
    SELECT new.*, run.tenant_id, run.doc_id, run.content_sha256
    FROM unnest($10::uuid[], $11::uuid[], $12::text[], $13::boolean[], $14::uuid[])
             AS new (doc_version_id, run_id, label, is_active, chunks_run_id),
         LATERAL (SELECT tenant_id, doc_id, content_sha256 FROM ingestion_runs
                  WHERE ingestion_runs.run_id = new.run_id) AS run
),
deactivated AS (
    UPDATE document_versions AS v SET is_active = false, deactivated_at = $1
    FROM new_versions AS made
    WHERE made.is_active AND v.tenant_id = made.tenant_id AND v.doc_id = made.doc_id AND v.is_active
    RETURNING v.doc_id
),
inserted AS (
    INSERT INTO document_versions (doc_version_id, tenant_id, doc_id, run_id, version_label, content_hash,
                                   content_sha256, is_active, created_at, chunks_run_id)
    SELECT doc_version_id, tenant_id, doc_id, run_id, label, 'sha256:' || encode(content_sha256, 'hex'),
           content_sha256, is_active, $1, chunks_run_id
    FROM new_versions AS made
    -- Forces the order: the earlier version must be deactivated first, because at most one may be active.
    WHERE (SELECT count(*) FROM deactivated) >= 0
),
-- The batches of these runs, locked in the order of their ids.
locked AS MATERIALIZED (
    SELECT b.batch_id, delta.succeeded, delta.failed
    FROM batches AS b JOIN (
        SELECT bd.batch_id, sum(changed.succeeded)::int AS succeeded, sum(changed.failed)::int AS failed
        FROM unnest($2::uuid[], $5::int[], $6::int[]) AS changed (run_id, succeeded, failed)
        JOIN batch_documents AS bd ON bd.run_id = changed.run_id
        WHERE changed.succeeded <> 0 OR changed.failed <> 0
        GROUP BY bd.batch_id) AS delta ON delta.batch_id = b.batch_id
    ORDER BY b.batch_id
    FOR NO KEY UPDATE OF b
)
UPDATE batches AS b
SET succeeded = b.succeeded + locked.succeeded, failed = b.failed + locked.failed, updated_at = $1
FROM locked
WHERE b.batch_id = locked.batch_id
RETURNING b.batch_id, b.tenant_id, b.status, b.expected, b.offered, b.refused, b.documents, b.succeeded, b.failed
