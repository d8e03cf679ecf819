-- Switches tenants to a model ($1) once all their active chunks have a vector of it.
UPDATE tenants AS t SET search_model = $1
WHERE t.search_model IS DISTINCT FROM $1
  AND EXISTS (SELECT FROM chunks AS c WHERE c.tenant_id = t.tenant_id)
  AND NOT EXISTS (
      SELECT FROM document_versions AS v
      JOIN chunks AS c ON c.tenant_id = v.tenant_id AND c.run_id = v.chunks_run_id
      WHERE v.tenant_id = t.tenant_id AND v.is_active
        AND NOT EXISTS (SELECT FROM chunk_vectors AS e WHERE e.chunk_id = c.chunk_id AND e.model = $1))
