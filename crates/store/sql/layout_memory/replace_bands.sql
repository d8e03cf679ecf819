-- The bands of an entry; those of its former fingerprint are removed.
WITH removed AS (
    DELETE FROM layout_memory_bands
    WHERE tenant_id = $1 AND memory_id = $2 AND band <> ALL ($3)
)
INSERT INTO layout_memory_bands (tenant_id, memory_id, band)
SELECT $1, $2, band FROM unnest($3::integer[]) AS band
ON CONFLICT DO NOTHING
