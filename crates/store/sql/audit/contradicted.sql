-- Of the ends of lanes ($2 lane, $3 length, $4 hash in hexadecimal), those that the log does not have: as places in
-- the arrays, from 1.
SELECT stated.place
FROM unnest($2::smallint[], $3::bigint[], $4::text[]) WITH ORDINALITY AS stated (lane, position, head, place)
LEFT JOIN audit_log AS log
    ON log.tenant_id = $1 AND log.lane = stated.lane AND log.position = stated.position
WHERE encode(log.hash, 'hex') IS DISTINCT FROM stated.head
ORDER BY stated.place
