-- Of these documents and batches ($3), those that one owner ($2) brought in.
SELECT doc_id FROM document_owners WHERE tenant_id = $1 AND owner = $2 AND doc_id = ANY ($3)
UNION ALL
SELECT batch_id FROM batches WHERE tenant_id = $1 AND owner = $2 AND batch_id = ANY ($3)
