-- The position behind which somebody goes on who has seen an event of the tenant ($1): its id ($2) and the position
-- that it had then ($3; null where the client has an id from before there were positions).
WITH seen AS (
    SELECT position FROM outbox_events WHERE tenant_id = $1 AND evt_id = $2
),
-- The event was removed since, and its position says where it was. A position that was never given, or that another
-- event has, is of a database that this one is no continuation of.
removed AS (
    SELECT $3::bigint AS position FROM event_positions
    WHERE tenant_id = $1 AND last >= $3
      AND NOT EXISTS (SELECT FROM outbox_events WHERE tenant_id = $1 AND position = $3)
)
-- Otherwise the oldest event that is kept is the next.
SELECT coalesce((SELECT position FROM seen), (SELECT position FROM removed), 0)
