-- Every event gets a position in the stream of its tenant, in the order in which all followers see events.
--
-- Followers used to go by the transaction that wrote an event, up to the oldest transaction that was open anywhere on
-- the server. An open transaction in another database stopped all of them, and a transaction id means nothing in
-- another server, so a restored database sent old events again and kept new ones back.

-- `written` counts up with every insertion: of two events the one that was committed before the other was begun has
-- the lower value. `position` stays null until docket_number_events gives the event one.
ALTER TABLE outbox_events ADD COLUMN written bigint GENERATED ALWAYS AS IDENTITY, ADD COLUMN position bigint;

-- The highest position that was given in each tenant. Positions are never given twice, also after events were removed.
CREATE TABLE event_positions (
    tenant_id uuid PRIMARY KEY REFERENCES tenants,
    last      bigint NOT NULL
);
SELECT docket_protect('event_positions');
REVOKE UPDATE, DELETE ON event_positions FROM docket_app;
REVOKE DELETE ON event_positions FROM docket_system;

-- What was written until now keeps its order.
SET LOCAL ROLE docket_system;
UPDATE outbox_events AS event SET position = old.position
FROM (SELECT evt_id, row_number() OVER (PARTITION BY tenant_id ORDER BY xact, evt_id) AS position
      FROM outbox_events) AS old
WHERE event.evt_id = old.evt_id;
INSERT INTO event_positions (tenant_id, last)
SELECT tenant_id, max(position) FROM outbox_events GROUP BY tenant_id;
RESET ROLE;

DROP INDEX outbox_events_in_order;
ALTER TABLE outbox_events DROP COLUMN xact;
CREATE UNIQUE INDEX outbox_events_in_order ON outbox_events (tenant_id, position) WHERE position IS NOT NULL;
CREATE INDEX outbox_events_unnumbered ON outbox_events (tenant_id, written) WHERE position IS NULL;

-- Gives the next positions to the oldest committed events of a tenant that have none, at most `most`; returns how many.
--
-- One caller at a time does it in a tenant, under the lock of the tenant's row in event_positions, and with a view of
-- the events that begins behind that lock. So positions become visible in their order: whoever sees one sees all below
-- it, and nothing is ever put in front of a position that somebody has seen. What a transaction wrote that is still
-- open is not visible, waits, and holds nobody up.
--
-- It is one function so that it runs as a single statement outside any transaction block: a client that stops in the
-- middle holds no lock.
CREATE FUNCTION docket_number_events(tenant uuid, most int) RETURNS int LANGUAGE plpgsql
    -- Nearly always there is little or nothing to number, whatever the statistics of a busy moment say.
    SET enable_seqscan = off
AS $$
DECLARE
    base bigint;
    numbered int;
BEGIN
    -- The order by makes this one step in the index of the unnumbered.
    PERFORM FROM outbox_events WHERE tenant_id = tenant AND position IS NULL ORDER BY written LIMIT 1;
    IF NOT FOUND THEN
        RETURN 0;
    END IF;

    INSERT INTO event_positions AS known (tenant_id, last) VALUES (tenant, 0)
    ON CONFLICT (tenant_id) DO UPDATE SET last = known.last RETURNING last INTO base;

    UPDATE outbox_events AS event SET position = base + next.number
    FROM (SELECT oldest.evt_id, row_number() OVER (ORDER BY oldest.written) AS number
          FROM (SELECT evt_id, written FROM outbox_events WHERE tenant_id = tenant AND position IS NULL
                ORDER BY written LIMIT most) AS oldest) AS next
    WHERE event.evt_id = next.evt_id;
    GET DIAGNOSTICS numbered = ROW_COUNT;

    UPDATE event_positions SET last = base + numbered WHERE tenant_id = tenant;
    RETURN numbered;
END
$$;
REVOKE EXECUTE ON FUNCTION docket_number_events FROM PUBLIC;
GRANT EXECUTE ON FUNCTION docket_number_events TO docket_system;
