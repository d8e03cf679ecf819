-- The ids of a tenant's documents, runs, batches and dead jobs that end with some digits: in reverse order, the
-- digits are $2, and $3 is the first text after all those that begin with $2. At most $4 ids of each kind.
(SELECT 'document' AS kind, doc_id AS id FROM documents
 WHERE tenant_id = $1 AND reversed_id >= $2 AND reversed_id < $3 AND deleted_at IS NULL LIMIT $4)
UNION ALL
(SELECT 'run', run_id FROM ingestion_runs
 WHERE tenant_id = $1 AND reversed_id >= $2 AND reversed_id < $3 LIMIT $4)
UNION ALL
(SELECT 'batch', batch_id FROM batches
 WHERE tenant_id = $1 AND reversed_id >= $2 AND reversed_id < $3 LIMIT $4)
UNION ALL
-- Dead jobs are few: the index of dead jobs finds them, and each is compared.
(SELECT 'job', job_id FROM jobs
 WHERE tenant_id = $1 AND status = 'DEAD' AND starts_with(reverse(right(job_id::text, 12)), $2) LIMIT $4)
