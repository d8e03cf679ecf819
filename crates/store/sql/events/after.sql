-- Events after ($1, $2) that nobody can get in front of any more, in the order in which all readers see them.
SELECT evt_id, tenant_id, e.xact::text AS xact, topic, payload, created_at FROM outbox_events AS e
WHERE (e.xact, evt_id) > ($1::text::xid8, $2) AND e.xact < pg_snapshot_xmin(pg_current_snapshot())
-- By the number, of which 1000 comes after 999; `xact` alone would be the text above.
ORDER BY e.xact, evt_id
LIMIT $3
