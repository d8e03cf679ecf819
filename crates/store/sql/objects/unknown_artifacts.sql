-- Which of these objects no stage lists, by their places in the lists: $1 runs, $2 stages, $3 keys. Pictures of pages
-- ($4 is the stage they are kept under) are listed nowhere: they belong to their run.
SELECT found.place FROM unnest($1::uuid[], $2::text[], $3::text[]) WITH ORDINALITY AS found (run_id, stage, key, place)
WHERE NOT EXISTS (SELECT FROM stages AS s
                  WHERE s.run_id = found.run_id AND s.name = found.stage
                    AND s.artifacts @> jsonb_build_array(jsonb_build_object('key', found.key)))
  AND NOT (found.stage = $4 AND EXISTS (SELECT FROM ingestion_runs AS r WHERE r.run_id = found.run_id))
