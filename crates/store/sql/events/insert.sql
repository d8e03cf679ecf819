-- An event that is for followers only: no webhook waits for it.
INSERT INTO outbox_events (evt_id, tenant_id, topic, payload, created_at, delivered)
VALUES ($1, $2, $3, $4, $5, true)
