-- Removes events that were delivered and made before $1, at most $2. One without a position is left until it has one:
-- so this never touches a row that docket_number_events is at.
DELETE FROM outbox_events WHERE evt_id IN (
    SELECT evt_id FROM outbox_events WHERE delivered AND position IS NOT NULL AND created_at < $1 LIMIT $2)
