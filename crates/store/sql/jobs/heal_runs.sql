-- The same for the last sign of life of runs that are not over. Parameters as in heal_waiting.sql.
WITH found AS MATERIALIZED (
    SELECT run_id FROM ingestion_runs
    WHERE status IN ('queued', 'running') AND updated_at > $2
    LIMIT $3
    FOR UPDATE SKIP LOCKED
)
UPDATE ingestion_runs AS run SET updated_at = $1
FROM found WHERE run.run_id = found.run_id
