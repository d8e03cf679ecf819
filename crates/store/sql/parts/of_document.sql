-- The documents that this one ($2) contains, and those that contain it: $1 tenant, $3 the owner to whom the scope is
-- limited, or NULL.
SELECT d.doc_id, p.name, coalesce(o.title, d.title) AS title, d.status, p.parent_doc_id = $2 AS is_within
FROM document_parts AS p
JOIN documents AS d ON d.doc_id = CASE WHEN p.parent_doc_id = $2 THEN p.doc_id ELSE p.parent_doc_id END
LEFT JOIN document_owners AS o ON o.doc_id = d.doc_id AND o.owner = $3
WHERE p.tenant_id = $1 AND (p.parent_doc_id = $2 OR p.doc_id = $2) AND d.deleted_at IS NULL
  AND ($3::text IS NULL OR o.owner IS NOT NULL)
ORDER BY is_within, p.added_at, d.doc_id
LIMIT 200
