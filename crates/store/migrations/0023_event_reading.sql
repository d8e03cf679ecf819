-- One reader in each process reads events and progress for all who follow, and old events are removed by their age.

-- Progress is read from the jobs that are worked on and have told some: few at any time. It is no event any more.
CREATE INDEX jobs_with_progress ON jobs (tenant_id) WHERE status = 'PROCESSING' AND progress_total IS NOT NULL;

-- Nothing delivers events, so nothing looks for those that wait for it. `delivered`, `attempts` and `last_error` have
-- no meaning any more: each delivery to an endpoint will be a row of its own.
DROP INDEX outbox_events_waiting;
