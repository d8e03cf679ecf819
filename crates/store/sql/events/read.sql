-- Events of several tenants ($1), of each behind a position ($2) and in their order; at most $3 of each tenant.
SELECT followed.tenant_id, event.* FROM unnest($1::uuid[], $2::bigint[]) AS followed (tenant_id, position),
LATERAL (
    SELECT evt_id, position, topic, payload FROM outbox_events
    WHERE tenant_id = followed.tenant_id AND position > followed.position
    ORDER BY position
    LIMIT $3) AS event
ORDER BY followed.tenant_id, event.position
