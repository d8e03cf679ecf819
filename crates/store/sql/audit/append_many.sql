-- Many rows of several tenants: one call, and one lane, per tenant. $9 is everyone's moment.
SELECT docket_audit_append(tenant_id, array_agg(audit_id ORDER BY place),
    array_agg(NULL::uuid), array_agg(actor ORDER BY place), array_agg(entity_type ORDER BY place),
    array_agg(entity_id ORDER BY place), array_agg(action ORDER BY place),
    array_agg(detail ORDER BY place), array_agg($9::timestamptz), array_agg(trace_id ORDER BY place))
FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::uuid[], $6::text[], $7::jsonb[], $8::text[])
     WITH ORDINALITY
     AS e (tenant_id, audit_id, actor, entity_type, entity_id, action, detail, trace_id, place)
GROUP BY tenant_id
ORDER BY tenant_id
