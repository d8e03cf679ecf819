-- Records that a person promoted a result: $1 id, $2 tenant, $3 document, $4 user, $5 actor, $6 now, $7 the version that was
-- current before (the promoted one, when none was), $8 the new version. The document counts the edit.
WITH edited AS (
    UPDATE documents SET revision = revision + 1, updated_at = $6 WHERE tenant_id = $2 AND doc_id = $3
)
INSERT INTO reviews (review_id, tenant_id, doc_id, user_id, actor, kind, created_at, from_result_version,
                     to_result_version)
VALUES ($1, $2, $3, $4, $5, 'promoted', $6, $7, $8)
