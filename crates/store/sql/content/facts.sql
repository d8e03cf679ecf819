-- The facts that decide who may read which content: $1 tenant, $2 documents, $3 a run for each of them (NULL for the run
-- of the active version), $4 the owner to whom the scope is limited, or NULL.
SELECT d.doc_id, coalesce(o.filename, d.filename) AS file_name, d.mime AS media_type, d.file_kind AS kind,
       ARRAY(SELECT n.filename FROM document_file_names AS n WHERE n.doc_id = d.doc_id) || d.filename AS file_names,
       t.rules, run.run_id, run.content_sha256,
       coalesce(run.config -> 'masks', '[]') AS run_masks,
       coalesce(served.config -> 'masks', '[]') AS served_masks,
       run.run_id = active.run_id AS is_active,
       active.run_id IS NULL AND run.run_id = latest.run_id AS is_latest,
       -- An owner who has not presented the password of a document may read its original only.
       $4::text IS NULL OR NOT docket_content_locked(d.doc_id, o.password_check) AS knows_password
FROM unnest($2::uuid[], $3::uuid[]) AS requested (doc_id, run_id)
JOIN documents AS d ON d.tenant_id = $1 AND d.doc_id = requested.doc_id AND d.deleted_at IS NULL
JOIN tenants AS t ON t.tenant_id = $1
LEFT JOIN document_owners AS o ON o.doc_id = d.doc_id AND o.owner = $4
LEFT JOIN document_versions AS active ON active.tenant_id = $1 AND active.doc_id = d.doc_id AND active.is_active
LEFT JOIN LATERAL (
    SELECT r.run_id FROM ingestion_runs AS r WHERE r.tenant_id = $1 AND r.doc_id = d.doc_id
    ORDER BY r.created_at DESC, r.run_id DESC LIMIT 1) AS latest ON true
LEFT JOIN ingestion_runs AS served ON served.run_id = coalesce(active.run_id, latest.run_id)
LEFT JOIN ingestion_runs AS run ON run.doc_id = d.doc_id AND run.run_id = coalesce(requested.run_id, served.run_id)
WHERE $4::text IS NULL OR o.doc_id IS NOT NULL
