-- Vectors of models that nothing is searched by and nothing is moved to ($1) any more, a batch at a time ($2).
DELETE FROM chunk_vectors WHERE ctid = ANY (ARRAY(
    SELECT e.ctid FROM chunk_vectors AS e
    JOIN tenants AS t ON t.tenant_id = e.tenant_id
    WHERE e.model <> $1 AND e.model <> t.search_model AND t.search_model = $1
    LIMIT $2))
