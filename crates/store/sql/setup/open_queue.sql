-- Opens a transaction on the queue. Its statements take sets as arrays and find each row by an index:
-- one plan is good for all values, and to plan anew each time would take longer than to run. The
-- plan must also be good for the table it was not made for: empty at first, a million rows later. Without any one of
-- the last three, a plan made for empty tables reads all jobs by a hash or merge join (store/tests/queue/claiming.rs).
BEGIN;
SET LOCAL plan_cache_mode = 'force_generic_plan';
SET LOCAL enable_seqscan = off;
SET LOCAL enable_hashjoin = off;
SET LOCAL enable_mergejoin = off
