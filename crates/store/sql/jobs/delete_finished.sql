-- Deletes finished jobs of runs that succeeded before $1, at most $2. The rows of the stages stay.
DELETE FROM jobs WHERE job_id IN (
    SELECT jobs.job_id FROM jobs JOIN ingestion_runs AS run ON run.run_id = jobs.run_id
    WHERE jobs.status = 'COMPLETED' AND run.status = 'succeeded' AND run.finished_at < $1
    LIMIT $2)
