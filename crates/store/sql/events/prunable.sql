-- The tenants whose oldest numbered event was created before $1.
SELECT known.tenant_id FROM event_positions AS known, LATERAL (
    SELECT created_at FROM outbox_events
    WHERE tenant_id = known.tenant_id AND position IS NOT NULL
    ORDER BY position
    LIMIT 1) AS oldest
WHERE oldest.created_at < $1
