-- The artifacts of a stage of a run, with the masks and the password of the run: $1 tenant, $2 the run, $3 the stage.
SELECT stages.artifacts, coalesce(run.config -> 'masks', '[]') AS masks,
       (SELECT sealed FROM secrets
        WHERE secrets.tenant_id = run.tenant_id AND purpose = 'document_password' AND secret_id = run.run_id)
FROM ingestion_runs AS run
JOIN stages ON stages.run_id = run.run_id AND stages.name = $3 AND stages.status = 'succeeded'
WHERE run.tenant_id = $1 AND run.run_id = $2
