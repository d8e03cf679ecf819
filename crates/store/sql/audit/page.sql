-- One page of a tenant's log, newest first, after the cursor ($8, $9) when there is one.
SELECT audit_id, ts, action, actor, user_id, entity_type, entity_id, detail, trace_id,
       lane, position, hash
FROM audit_log
WHERE tenant_id = $1
  AND ($2::text IS NULL OR action = $2)
  AND ($3::text IS NULL OR actor = $3)
  AND ($4::text IS NULL OR entity_type = $4)
  AND ($5::uuid IS NULL OR entity_id = $5)
  AND ($6::timestamptz IS NULL OR ts >= $6)
  AND ($7::timestamptz IS NULL OR ts < $7)
  AND ($8::timestamptz IS NULL OR (ts, audit_id) < ($8, $9))
ORDER BY ts DESC, audit_id DESC
OFFSET $10 LIMIT $11
