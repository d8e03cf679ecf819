-- Of these documents and batches ($3), those that are there and ($2), where one is meant, that one owner brought in.
SELECT d.doc_id FROM documents AS d
WHERE d.tenant_id = $1 AND d.doc_id = ANY ($3) AND d.deleted_at IS NULL
  AND ($2::text IS NULL OR EXISTS (
      SELECT FROM document_owners AS o WHERE o.doc_id = d.doc_id AND o.owner = $2))
UNION ALL
SELECT batch_id FROM batches
WHERE tenant_id = $1 AND batch_id = ANY ($3) AND ($2::text IS NULL OR owner = $2)
