-- Events after ($1, $2) that nobody can get in front of any more, in the order in which all readers see them.
SELECT evt_id, tenant_id, xact::text AS xact, topic, payload, created_at FROM outbox_events
WHERE (xact, evt_id) > ($1::text::xid8, $2) AND xact < pg_snapshot_xmin(pg_current_snapshot())
ORDER BY xact, evt_id
LIMIT $3
