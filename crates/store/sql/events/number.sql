-- Numbers the committed events of several tenants ($1), at most $2 of each. Only where there are some: the order by makes
-- looking one step in the index of the unnumbered.
SELECT docket_number_events(tenant, $2) FROM unnest($1::uuid[]) AS tenant,
LATERAL (SELECT FROM outbox_events WHERE tenant_id = tenant AND position IS NULL ORDER BY written LIMIT 1) AS unnumbered
