SELECT doc_version_id, run_id, version_label, content_hash, is_active, chunks_run_id IS NOT NULL AS is_searchable,
       created_at, deactivated_at
FROM document_versions WHERE tenant_id = $1 AND doc_id = $2
ORDER BY created_at DESC
