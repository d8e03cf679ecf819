-- Opens a transaction on the queue, with planner workarounds. Its statements take arrays and look each row up by an index,
-- so one generic plan is good for all values, and planning each time would take longer than the statement. But a cached
-- plan is also used for tables that have changed since: empty at first, with a million rows later. Without any one of the
-- last three settings, a plan made for empty tables reads all jobs by a hash or merge join
-- (store/tests/queue/claiming.rs).
BEGIN;
SET LOCAL plan_cache_mode = 'force_generic_plan';
SET LOCAL enable_seqscan = off;
SET LOCAL enable_hashjoin = off;
SET LOCAL enable_mergejoin = off
