-- How many of a tenant's runs wait, counted no further than asked for.
SELECT count(*) FROM (
    SELECT FROM ingestion_runs WHERE tenant_id = $1 AND status = 'queued' LIMIT $2) AS waiting
