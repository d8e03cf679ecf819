-- The changes since a transaction ($2; NULL when nothing was read before), and the first transaction that this snapshot
-- does not include completely. $1 tenant.
SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS until,
       extract(epoch FROM now())::bigint AS seconds,
       t.search_model AS model,
       ARRAY(SELECT c.change_id FROM search_changes AS c
             WHERE c.tenant_id = $1 AND c.xact >= $2::text::xid8 ORDER BY c.change_id) AS change_ids,
       ARRAY(SELECT c.doc_id FROM search_changes AS c
             WHERE c.tenant_id = $1 AND c.xact >= $2::text::xid8 ORDER BY c.change_id) AS doc_ids
FROM tenants AS t WHERE t.tenant_id = $1
