SELECT count(*) FROM audit_log WHERE tenant_id = $1
