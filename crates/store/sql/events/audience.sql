-- Of these documents and batches (tenants $1, ids $2), those that are there, with each of their owners and what that
-- owner calls the document. One without an owner is in one row.
WITH asked AS (
    SELECT DISTINCT * FROM unnest($1::uuid[], $2::uuid[]) AS asked (tenant_id, id)
)
SELECT asked.tenant_id, asked.id, o.owner, o.title FROM asked
JOIN documents AS d ON d.doc_id = asked.id AND d.tenant_id = asked.tenant_id AND d.deleted_at IS NULL
LEFT JOIN document_owners AS o ON o.doc_id = d.doc_id
UNION ALL
SELECT asked.tenant_id, asked.id, b.owner, NULL FROM asked
JOIN batches AS b ON b.batch_id = asked.id AND b.tenant_id = asked.tenant_id
