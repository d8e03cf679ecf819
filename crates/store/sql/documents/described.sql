-- The documents of a page with their active version. `is_masked`: the active version was read with masks.
SELECT page.*, v.doc_version_id, v.version_label, v.content_hash, v.chunks_run_id IS NOT NULL AS is_searchable,
       CASE WHEN page.error IS NOT NULL THEN docket_error_code(page.doc_id) END AS error_code,
       page.owner IS NOT NULL AND docket_content_locked(page.doc_id, page.password_check) AS content_locked,
       coalesce((SELECT run.config -> 'masks' NOT IN ('[]'::jsonb, 'null'::jsonb) FROM ingestion_runs AS run
                 WHERE run.run_id = v.run_id), false) AS is_masked
FROM page
LEFT JOIN document_versions AS v ON v.tenant_id = $1 AND v.doc_id = page.doc_id AND v.is_active
ORDER BY {order}
