-- Corrects the due times of pending jobs after the clock was set back, at most $3 jobs: those that were written later
-- than now ($1), or that would wait longer than any delay lasts. Jobs of the first kind keep their delay: a job that was
-- due in a minute is due a minute from now. $2 is slightly later than now, because the clocks of two processes may
-- differ by that much. resume_paused.sql resumes paused jobs. The index of pending jobs answers the first conditions.
WITH ahead AS MATERIALIZED (
    SELECT job_id, next_run_at - updated_at AS distance FROM jobs
    WHERE status = 'PENDING' AND NOT is_paused AND next_run_at > $2
      AND (updated_at > $2 OR next_run_at > $1::timestamptz + interval '1 day')
    LIMIT $3
    FOR UPDATE SKIP LOCKED
)
UPDATE jobs
SET next_run_at = CASE WHEN distance > interval '1 day' THEN $1 ELSE $1 + distance END, updated_at = $1
FROM ahead WHERE jobs.job_id = ahead.job_id
