-- The numbered events of the tenant ($1) after a position ($2), in their order, at most $3.
SELECT evt_id, position, topic, payload FROM outbox_events
WHERE tenant_id = $1 AND position > $2
ORDER BY position
LIMIT $3
