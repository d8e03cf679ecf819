-- Of these documents and batches ($3), those that are there and ($2), where one is meant, that one owner brought in;
-- with what that owner calls the document.
SELECT d.doc_id, o.title FROM documents AS d
LEFT JOIN document_owners AS o ON o.doc_id = d.doc_id AND o.owner = $2
WHERE d.tenant_id = $1 AND d.doc_id = ANY ($3) AND d.deleted_at IS NULL AND ($2::text IS NULL OR o.owner IS NOT NULL)
UNION ALL
SELECT batch_id, NULL FROM batches
WHERE tenant_id = $1 AND batch_id = ANY ($3) AND ($2::text IS NULL OR owner = $2)
