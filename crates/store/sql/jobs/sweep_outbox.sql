-- Removes events that were delivered and made before $1, at most $2.
DELETE FROM outbox_events WHERE evt_id IN (
    SELECT evt_id FROM outbox_events WHERE delivered AND created_at < $1 LIMIT $2)
