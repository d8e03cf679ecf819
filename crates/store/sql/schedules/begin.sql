-- Takes the lease of a schedule that is due. $1 name, $2 now, $3 when it is due again, $4 token, $5 the end of the lease,
-- $6 by how much the clocks of two processes may differ. A stored time that is further ahead than it could have been set
-- was written before the clock was set back, and is ignored.
INSERT INTO schedules AS s (name, next_at, lease_token, lease_until, last_began)
VALUES ($1, $3, $4, $5, $2)
ON CONFLICT (name) DO UPDATE
SET next_at = excluded.next_at, lease_token = excluded.lease_token, lease_until = excluded.lease_until,
    last_began = excluded.last_began
WHERE (s.next_at <= $2 OR s.next_at > $3 + $6::interval)
  AND (s.lease_until IS NULL OR s.lease_until < $2 OR s.lease_until > $5 + $6::interval)
RETURNING name
