-- What is known of a document's content: $1 tenant, $2 document, $3 content, $4 the check of the submitted password (NULL
-- without a password: then the check counts that the same owner, $5, presented before).
WITH presented AS (
    SELECT coalesce($4::bytea, (
        SELECT o.password_check FROM document_owners AS o WHERE o.doc_id = $2 AND o.owner = $5)) AS password_check
)
SELECT v.run_id IS NOT NULL AS is_active,
       -- It had a version, and none is active now: it was withdrawn.
       v.run_id IS NULL AND EXISTS (
           SELECT FROM document_versions AS any_version WHERE any_version.doc_id = $2) AS is_withdrawn,
       active.config -> 'masks' AS active_masks,
       run.run_id, run.status, run.config -> 'masks' AS run_masks,
       run.run_id IS NOT NULL AND run.password_check IS DISTINCT FROM presented.password_check AS run_has_other_password,
       docket_content_locked($2, presented.password_check) AS password_missing,
       coalesce(docket_content_of($2) <> $3, false) AS has_other_content
FROM presented
LEFT JOIN document_versions AS v ON v.tenant_id = $1 AND v.doc_id = $2 AND v.is_active
LEFT JOIN ingestion_runs AS active ON active.run_id = v.run_id
-- The latest live run of this content.
LEFT JOIN LATERAL (
    SELECT run_id, status, config, password_check FROM ingestion_runs
    WHERE tenant_id = $1 AND doc_id = $2 AND content_sha256 = $3 AND status IN ('queued', 'running')
    ORDER BY created_at DESC, run_id DESC LIMIT 1) AS run ON true
