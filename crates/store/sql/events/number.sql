-- Numbers the committed events of several tenants ($1), at most $2 of each, where there are any. A planner workaround: the
-- ORDER BY makes the check one step in the index of unnumbered events.
SELECT docket_number_events(tenant, $2) FROM unnest($1::uuid[]) AS tenant,
LATERAL (SELECT FROM outbox_events WHERE tenant_id = tenant AND position IS NULL ORDER BY written LIMIT 1) AS unnumbered
