-- Events of the tenant ($1) behind a position ($2), in the order in which all followers see them; at most $3.
SELECT evt_id, position, topic, payload FROM outbox_events
WHERE tenant_id = $1 AND position > $2
ORDER BY position
LIMIT $3
