-- The numbered events of several tenants ($1), of each after a position ($2) and in their order, at most $3 of each tenant.
SELECT requested.tenant_id, event.* FROM unnest($1::uuid[], $2::bigint[]) AS requested (tenant_id, position),
LATERAL (
    SELECT evt_id, position, topic, payload FROM outbox_events
    WHERE tenant_id = requested.tenant_id AND position > requested.position
    ORDER BY position
    LIMIT $3) AS event
ORDER BY requested.tenant_id, event.position
