-- Jobs that wait for a time which the clock was set back from, at most $3: they were written later than now ($1), or are to
-- wait longer than anything does. The first keep their distance: what was to wait a minute waits a minute from now. $2
-- is a little later than now, because the clocks of two processes may differ by that. Paused jobs come back by
-- themselves (resume_paused.sql). The first conditions are answered by the index of waiting jobs alone.
WITH found AS MATERIALIZED (
    SELECT job_id, next_run_at - updated_at AS distance FROM jobs
    WHERE status = 'PENDING' AND NOT is_paused AND next_run_at > $2
      AND (updated_at > $2 OR next_run_at > $1::timestamptz + interval '1 day')
    LIMIT $3
    FOR UPDATE SKIP LOCKED
)
UPDATE jobs
SET next_run_at = CASE WHEN distance > interval '1 day' THEN $1 ELSE $1 + distance END, updated_at = $1
FROM found WHERE jobs.job_id = found.job_id
