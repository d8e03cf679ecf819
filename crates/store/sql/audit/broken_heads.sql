-- Lanes whose recorded head is not their last row, and rows in lanes that are not recorded at all.
WITH ends AS (
    SELECT DISTINCT ON (lane) lane, position, hash, audit_id FROM audit_log
    WHERE tenant_id = $1
    ORDER BY lane, position DESC
)
SELECT coalesce(lanes.lane, ends.lane) AS lane,
       coalesce(lanes.length, 0) AS length,
       coalesce(ends.position, 0) AS position,
       ends.audit_id
FROM (SELECT * FROM audit_lanes WHERE tenant_id = $1) AS lanes
FULL JOIN ends ON ends.lane = lanes.lane
WHERE coalesce(lanes.length, 0) <> coalesce(ends.position, 0)
   OR lanes.lane IS NULL
   OR lanes.head <> coalesce(ends.hash, decode(repeat('00', 32), 'hex'))
ORDER BY 1
