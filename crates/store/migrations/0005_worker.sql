-- How many jobs of a stage were finished in the last minute, without a look at those before.
CREATE INDEX stages_ended ON stages (tenant_id, ended_at) INCLUDE (name);
