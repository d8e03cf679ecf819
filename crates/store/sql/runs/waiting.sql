-- How many of a tenant's runs are queued, counted up to $2. $1 tenant.
SELECT count(*) FROM (
    SELECT FROM ingestion_runs WHERE tenant_id = $1 AND status = 'queued' LIMIT $2) AS waiting
