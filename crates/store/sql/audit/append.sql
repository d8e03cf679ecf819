-- Lane, position and hashes are filled in by the trigger `seal`.
INSERT INTO audit_log
    (audit_id, tenant_id, user_id, actor, entity_type, entity_id, action, detail, ts, trace_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
