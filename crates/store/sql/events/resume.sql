-- The position behind which somebody goes on who has seen an event of the tenant ($1): its id ($2) and the position
-- that it had then ($3; null where the client has an id from before there were positions).
WITH seen AS (
    SELECT position FROM outbox_events WHERE tenant_id = $1 AND evt_id = $2
),
given AS (
    SELECT coalesce(max(last), 0) AS last FROM event_positions WHERE tenant_id = $1
),
-- The event was removed since, and its position says where it was. A position that was never given, or that another
-- event has, is of a database that this one is no continuation of.
removed AS (
    SELECT $3::bigint AS position FROM given
    WHERE last >= $3 AND NOT EXISTS (SELECT FROM outbox_events WHERE tenant_id = $1 AND position = $3)
),
place AS (
    SELECT coalesce((SELECT position FROM seen), (SELECT position FROM removed)) AS position
),
-- Everything up to here was removed: events are pruned in the order of their positions.
pruned AS (
    SELECT coalesce((SELECT min(position) - 1 FROM outbox_events WHERE tenant_id = $1 AND position IS NOT NULL),
                    last) AS position
    FROM given
)
-- Of an unknown event the oldest one that is kept is the next.
SELECT coalesce(place.position, 0) AS position,
       place.position IS NULL AS is_unknown,
       coalesce(place.position, 0) < pruned.position AS is_pruned
FROM place, pruned
