-- The artifacts of stages, in the order of runs, after ($1, $2), at most $3 stages.
SELECT run_id, name, artifacts FROM stages
WHERE (run_id, name) > ($1, $2) AND artifacts <> '[]'
ORDER BY run_id, name
LIMIT $3
