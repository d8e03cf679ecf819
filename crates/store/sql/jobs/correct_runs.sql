-- Corrects the last update of runs that have not ended, after the clock was set back. Parameters as in
-- correct_pending.sql.
WITH ahead AS MATERIALIZED (
    SELECT run_id FROM ingestion_runs
    WHERE status IN ('queued', 'running') AND updated_at > $2
    LIMIT $3
    FOR UPDATE SKIP LOCKED
)
UPDATE ingestion_runs AS run SET updated_at = $1
FROM ahead WHERE run.run_id = ahead.run_id
