-- The ends of a tenant's lanes that have rows, of one moment.
SELECT lane, length, encode(head, 'hex') AS head FROM audit_lanes
WHERE tenant_id = $1 AND length > 0
ORDER BY lane
