-- Appends rows of several tenants, all with the time $9: one call, and so one chain shard, per tenant.
SELECT docket_audit_append(tenant_id, array_agg(audit_id ORDER BY ordinal),
    array_agg(NULL::uuid), array_agg(actor ORDER BY ordinal), array_agg(entity_type ORDER BY ordinal),
    array_agg(entity_id ORDER BY ordinal), array_agg(action ORDER BY ordinal),
    array_agg(detail ORDER BY ordinal), array_agg($9::timestamptz), array_agg(trace_id ORDER BY ordinal))
FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::uuid[], $6::text[], $7::jsonb[], $8::text[])
     WITH ORDINALITY
     AS e (tenant_id, audit_id, actor, entity_type, entity_id, action, detail, trace_id, ordinal)
GROUP BY tenant_id
ORDER BY tenant_id
