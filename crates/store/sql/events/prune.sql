-- Deletes the oldest events of a tenant ($1) that were created before $2, at most $3, in the order of their positions up
-- to the first younger one: a subscriber that resumes after the last deleted event has missed nothing. Unnumbered events
-- stay: no subscriber has read them, and this statement never touches a row that docket_number_events is updating.
WITH oldest AS (
    SELECT evt_id, position, created_at FROM outbox_events
    WHERE tenant_id = $1 AND position IS NOT NULL
    ORDER BY position
    LIMIT $3
),
kept_from AS (
    SELECT min(position) AS position FROM oldest WHERE created_at >= $2
)
DELETE FROM outbox_events AS event USING oldest, kept_from
WHERE event.evt_id = oldest.evt_id AND (kept_from.position IS NULL OR oldest.position < kept_from.position)
