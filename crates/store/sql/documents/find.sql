-- One document ($2) of a tenant ($1). With $3, only for that owner, with the owner's title, file name, source and tags.
SELECT d.doc_id, d.file_kind, d.source_uri, coalesce(o.title, d.title) AS title,
       coalesce(o.source, d.source) AS source, coalesce(o.filename, d.filename) AS filename, d.mime, d.bytes_len, d.pages,
       d.status, d.error, d.revision, coalesce(o.tags, d.tags) AS tags, coalesce(o.created_at, d.created_at) AS created_at,
       d.updated_at, v.doc_version_id, v.version_label, v.content_hash, v.chunks_run_id IS NOT NULL AS is_searchable,
       CASE WHEN d.error IS NOT NULL THEN docket_error_code(d.doc_id) END AS error_code,
       o.owner IS NOT NULL AND docket_content_locked(d.doc_id, o.password_check) AS content_locked,
       coalesce((SELECT run.config -> 'masks' NOT IN ('[]'::jsonb, 'null'::jsonb) FROM ingestion_runs AS run
                 WHERE run.run_id = v.run_id), false) AS is_masked
FROM documents AS d
LEFT JOIN document_owners AS o ON o.doc_id = d.doc_id AND o.owner = $3
LEFT JOIN document_versions AS v ON v.tenant_id = d.tenant_id AND v.doc_id = d.doc_id AND v.is_active
WHERE d.tenant_id = $1 AND d.doc_id = $2 AND d.deleted_at IS NULL
  AND ($3::text IS NULL OR o.owner IS NOT NULL)
