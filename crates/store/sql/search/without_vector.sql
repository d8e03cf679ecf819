-- Some chunks without a vector of a model ($1): those without any vector, those of tenants that use another model, and those
-- that a process with another model added since. At most $2.
SELECT chunks_to_embed.tenant_id, chunks_to_embed.chunk_id, chunks_to_embed.heading, chunks_to_embed.text FROM (
    (SELECT tenant_id, chunk_id, heading, text FROM chunks WHERE model IS NULL LIMIT $2)
    UNION ALL
    (SELECT c.tenant_id, c.chunk_id, c.heading, c.text
     FROM tenants AS t
     JOIN document_versions AS v ON v.tenant_id = t.tenant_id AND v.is_active
     JOIN chunks AS c ON c.tenant_id = v.tenant_id AND c.run_id = v.chunks_run_id AND c.model IS NOT NULL
     WHERE t.search_model <> $1
       AND NOT EXISTS (SELECT FROM chunk_vectors AS e WHERE e.chunk_id = c.chunk_id AND e.model = $1)
     LIMIT $2)
    UNION ALL
    (SELECT c.tenant_id, c.chunk_id, c.heading, c.text
     FROM chunks AS c
     JOIN tenants AS t ON t.tenant_id = c.tenant_id AND t.search_model = $1
     JOIN document_versions AS v ON v.tenant_id = c.tenant_id AND v.chunks_run_id = c.run_id AND v.is_active
     -- A planner workaround: an index can answer < and >, but not <>.
     WHERE (c.model < $1 OR c.model > $1)
       AND NOT EXISTS (SELECT FROM chunk_vectors AS e WHERE e.chunk_id = c.chunk_id AND e.model = $1)
     LIMIT $2)) AS chunks_to_embed
LIMIT $2
