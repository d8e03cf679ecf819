-- The position after which a subscriber resumes that has seen an event of the tenant ($1): its id ($2) and the position
-- that it had ($3; NULL for an id from before events had positions).
WITH seen AS (
    SELECT position FROM outbox_events WHERE tenant_id = $1 AND evt_id = $2
),
assigned AS (
    SELECT coalesce(max(last), 0) AS last FROM event_positions WHERE tenant_id = $1
),
-- The event was pruned since then, and its position says where it was. A position that was never assigned, or that another
-- event has, comes from another database.
pruned_event AS (
    SELECT $3::bigint AS position FROM assigned
    WHERE last >= $3 AND NOT EXISTS (SELECT FROM outbox_events WHERE tenant_id = $1 AND position = $3)
),
resumed AS (
    SELECT coalesce((SELECT position FROM seen), (SELECT position FROM pruned_event)) AS position
),
-- All events up to here were pruned: pruning follows the order of the positions.
pruned AS (
    SELECT coalesce((SELECT min(position) - 1 FROM outbox_events WHERE tenant_id = $1 AND position IS NOT NULL),
                    last) AS position
    FROM assigned
)
-- After an unknown event, the oldest existing one is the next.
SELECT coalesce(resumed.position, 0) AS position,
       resumed.position IS NULL AS is_unknown,
       coalesce(resumed.position, 0) < pruned.position AS is_pruned
FROM resumed, pruned
