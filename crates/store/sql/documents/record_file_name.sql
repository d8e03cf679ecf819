-- Records a file name of a document's content, and returns all of them: $1 tenant, $2 document, $3 name, $4 now.
WITH recorded AS (
    INSERT INTO document_file_names (tenant_id, doc_id, filename, first_seen) VALUES ($1, $2, $3, $4)
    ON CONFLICT DO NOTHING
)
SELECT filename FROM document_file_names WHERE doc_id = $2
UNION SELECT $3
