-- What each job pays for and nobody asks for.
--
-- An audit row is one of its lane's and known by its place there; nothing looks one up by its id alone.
ALTER TABLE audit_log DROP CONSTRAINT audit_log_pkey;
ALTER TABLE audit_log ADD CONSTRAINT audit_log_pkey PRIMARY KEY USING INDEX audit_log_chain;
-- A stage row is made from a job, in one statement with it, and the job's own reference to the run holds.
ALTER TABLE stages DROP CONSTRAINT stages_run_id_fkey;

-- What a stage counted (pages, words); the run gathers it when it ends.
ALTER TABLE stages ADD COLUMN stats jsonb;

-- How far a long stage is, told about once a second.
ALTER TABLE jobs ADD COLUMN progress_done int, ADD COLUMN progress_total int;
