-- Makes paused jobs claimable again: those whose pause is over, and one as a probe for each dependency ($3) of which no
-- job was tried since $2: the one that was tried longest ago. $1 now, $4 the most jobs to resume at once.
WITH due AS (
    SELECT job_id FROM jobs
    WHERE status = 'PENDING' AND is_paused AND next_run_at <= $1
    ORDER BY next_run_at
    LIMIT $4
    FOR UPDATE SKIP LOCKED
),
probes AS (
    SELECT probe.job_id
    FROM unnest($3::text[]) AS dependency (name), LATERAL (
        SELECT job_id FROM jobs
        WHERE paused_for = dependency.name AND status = 'PENDING' AND is_paused
        ORDER BY probed_at
        LIMIT 1
        FOR UPDATE SKIP LOCKED) AS probe
    WHERE NOT EXISTS (
        SELECT FROM jobs
        WHERE paused_for = dependency.name AND probed_at > $2 AND status IN ('PENDING', 'PROCESSING')
          -- A time later than now was written before the clock was set back.
          AND probed_at <= $1::timestamptz + interval '1 minute')
)
UPDATE jobs SET is_paused = false, probed_at = $1, next_run_at = least(next_run_at, $1), updated_at = $1
WHERE job_id IN (SELECT job_id FROM due UNION SELECT job_id FROM probes)
