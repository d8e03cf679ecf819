-- One page of a list (one of `lists/`), newest first, of the documents that match all other conditions. At most $12
-- documents are scanned. The last scanned one is returned whether it matches or not, so that the next page can continue
-- after it.
WITH page AS (
    SELECT *
    FROM (
        SELECT listed.*, d.*, row_number() OVER newest_first = $12 AS ends_here,
               count(*) FILTER (WHERE d.matches) OVER newest_first AS match_number
        FROM ({list} LIMIT $12) AS listed
        CROSS JOIN LATERAL ({matching}) AS d
        WINDOW newest_first AS (ORDER BY listed.created_at DESC, listed.doc_id DESC ROWS UNBOUNDED PRECEDING)
    ) AS scanned
    -- Skip $13 matches, for pages that are requested by number.
    WHERE matches AND match_number > $13 OR ends_here
    ORDER BY created_at DESC, doc_id DESC
    LIMIT $14
)
SELECT page.*, v.doc_version_id, v.version_label, v.content_hash, v.chunks_run_id IS NOT NULL AS is_searchable,
       CASE WHEN page.error IS NOT NULL THEN docket_error_code(page.doc_id) END AS error_code,
       page.owner IS NOT NULL AND docket_content_locked(page.doc_id, page.password_check) AS content_locked
FROM page
LEFT JOIN document_versions AS v ON v.tenant_id = $1 AND v.doc_id = page.doc_id AND v.is_active
ORDER BY page.created_at DESC, page.doc_id DESC
