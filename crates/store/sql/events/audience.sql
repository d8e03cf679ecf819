-- Those of these documents and batches (tenants $1, ids $2) that exist, with each of their owners and the owner's title. An
-- object without an owner has one row.
WITH requested AS (
    SELECT DISTINCT * FROM unnest($1::uuid[], $2::uuid[]) AS requested (tenant_id, id)
)
SELECT requested.tenant_id, requested.id, o.owner, o.title FROM requested
JOIN documents AS d ON d.doc_id = requested.id AND d.tenant_id = requested.tenant_id AND d.deleted_at IS NULL
LEFT JOIN document_owners AS o ON o.doc_id = d.doc_id
UNION ALL
SELECT requested.tenant_id, requested.id, b.owner, NULL FROM requested
JOIN batches AS b ON b.batch_id = requested.id AND b.tenant_id = requested.tenant_id
