-- Appends events in their order: $1 ids, $2 tenants, $3 topics, $4 payloads, $5 whether only the event stream carries them,
-- $6 now.
INSERT INTO outbox_events (evt_id, tenant_id, topic, payload, created_at, delivered)
SELECT evt_id, tenant_id, topic, payload, $6, is_stream_only
FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::jsonb[], $5::boolean[]) WITH ORDINALITY
    AS e (evt_id, tenant_id, topic, payload, is_stream_only, ordinal)
ORDER BY ordinal
