SELECT d.status, count(*) AS documents
FROM document_owners AS o JOIN documents AS d ON d.doc_id = o.doc_id
WHERE o.tenant_id = $1 AND o.owner = $2 AND d.deleted_at IS NULL
GROUP BY d.status
