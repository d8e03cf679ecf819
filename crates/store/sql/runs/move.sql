-- Writes what progression.rs decided. The rows of runs and documents are locked.
-- $1 now; runs that change their state: $2 ids, $3 states, $4 errors, $5 by how much batches count more successes and
-- $6 more failures; documents: $7 ids, $8 states, $9 errors; new versions: $10 ids, $11 runs, $12 labels, $13 whether
-- they are served, $14 the runs that made their chunks.
WITH run AS (
    UPDATE ingestion_runs AS run
    SET status = moved.status, error = moved.error,
        -- A run that is retried keeps its start time; one that has none gets it when its job is claimed.
        started_at = CASE WHEN run.status IS NOT DISTINCT FROM 'queued' AND moved.status = 'running' THEN $1
                          ELSE run.started_at END,
        stats = CASE WHEN moved.status = 'succeeded' THEN run.stats || coalesce((
                    SELECT jsonb_object_agg(counted.key, counted.value ORDER BY stages.ended_at)
                    FROM stages, jsonb_each(stages.stats) AS counted
                    WHERE stages.run_id = run.run_id AND stages.status = 'succeeded'), '{}')
                ELSE run.stats END,
        finished_at = CASE WHEN moved.status IN ('succeeded', 'failed') THEN $1 END,
        updated_at = $1
    FROM unnest($2::uuid[], $3::text[], $4::text[]) AS moved (run_id, status, error)
    WHERE run.run_id = moved.run_id
),
document AS (
    UPDATE documents AS d SET status = moved.status, error = moved.error, updated_at = $1
    FROM unnest($7::uuid[], $8::text[], $9::text[]) AS moved (doc_id, status, error)
    WHERE d.doc_id = moved.doc_id
),
made AS MATERIALIZED (
    SELECT new.*, run.tenant_id, run.doc_id, run.content_sha256
    FROM unnest($10::uuid[], $11::uuid[], $12::text[], $13::boolean[], $14::uuid[])
             AS new (doc_version_id, run_id, label, is_active, chunks_run_id),
         LATERAL (SELECT tenant_id, doc_id, content_sha256 FROM ingestion_runs
                  WHERE ingestion_runs.run_id = new.run_id) AS run
),
taken_out AS (
    UPDATE document_versions AS v SET is_active = false, deactivated_at = $1
    FROM made
    WHERE made.is_active AND v.tenant_id = made.tenant_id AND v.doc_id = made.doc_id AND v.is_active
    RETURNING v.doc_id
),
served AS (
    INSERT INTO document_versions (doc_version_id, tenant_id, doc_id, run_id, version_label, content_hash,
                                   content_sha256, is_active, created_at, chunks_run_id)
    SELECT doc_version_id, tenant_id, doc_id, run_id, label, 'sha256:' || encode(content_sha256, 'hex'),
           content_sha256, is_active, $1, chunks_run_id
    FROM made
    -- After the version before it was taken out: one at most is served.
    WHERE (SELECT count(*) FROM taken_out) >= 0
),
-- The batches for which these runs decide, locked in the order of their ids.
held AS MATERIALIZED (
    SELECT b.batch_id, delta.succeeded, delta.failed
    FROM batches AS b JOIN (
        SELECT bd.batch_id, sum(moved.succeeded)::int AS succeeded, sum(moved.failed)::int AS failed
        FROM unnest($2::uuid[], $5::int[], $6::int[]) AS moved (run_id, succeeded, failed)
        JOIN batch_documents AS bd ON bd.run_id = moved.run_id
        WHERE moved.succeeded <> 0 OR moved.failed <> 0
        GROUP BY bd.batch_id) AS delta ON delta.batch_id = b.batch_id
    ORDER BY b.batch_id
    FOR NO KEY UPDATE OF b
)
UPDATE batches AS b
SET succeeded = b.succeeded + held.succeeded, failed = b.failed + held.failed, updated_at = $1
FROM held
WHERE b.batch_id = held.batch_id
RETURNING b.batch_id, b.tenant_id, b.status, b.expected, b.offered, b.refused, b.documents, b.succeeded, b.failed
