-- The ordinals, from 1, of those objects that no stage lists: $1 runs, $2 stages, $3 keys. No stage lists page images ($4 is
-- the stage that they are stored under): they belong to their run.
SELECT found.ordinal FROM unnest($1::uuid[], $2::text[], $3::text[]) WITH ORDINALITY AS found (run_id, stage, key, ordinal)
WHERE NOT EXISTS (SELECT FROM stages AS s
                  WHERE s.run_id = found.run_id AND s.name = found.stage
                    AND s.artifacts @> jsonb_build_array(jsonb_build_object('key', found.key)))
  AND NOT (found.stage = $4 AND EXISTS (SELECT FROM ingestion_runs AS r WHERE r.run_id = found.run_id))
