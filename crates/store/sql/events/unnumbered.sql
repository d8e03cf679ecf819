-- The first tenant after $1 with unnumbered events.
SELECT tenant_id FROM outbox_events
WHERE position IS NULL AND tenant_id > $1
ORDER BY tenant_id, written
LIMIT 1
