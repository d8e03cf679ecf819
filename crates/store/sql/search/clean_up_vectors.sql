-- Deletes vectors of models that no tenant uses, other than the current one ($1), at most $2.
DELETE FROM chunk_vectors WHERE ctid = ANY (ARRAY(
    SELECT e.ctid FROM chunk_vectors AS e
    JOIN tenants AS t ON t.tenant_id = e.tenant_id
    WHERE e.model <> $1 AND e.model <> t.search_model AND t.search_model = $1
    LIMIT $2))
