-- Which version is served, where documents and batches stand, and what is told of it is decided in Rust
-- (domain/src/progression.rs); no trigger does it any more.

DROP TRIGGER document_follows ON ingestion_runs;
DROP FUNCTION docket_follow_run();
DROP TRIGGER batch_ends ON batches;
DROP FUNCTION docket_end_batch();

-- The run that made the chunks by which a version is found: its own run, or one before it that read the same content
-- under the same masks. Null: the version is not searchable.
ALTER TABLE document_versions ADD COLUMN chunks_run_id uuid REFERENCES ingestion_runs;
CREATE INDEX document_versions_of_chunks ON document_versions (chunks_run_id) WHERE chunks_run_id IS NOT NULL;

-- What was indexed until now has the chunks of its own run, unless they were removed since. A document without words
-- has none and was indexed all the same.
SET LOCAL ROLE docket_system;
UPDATE document_versions AS v SET chunks_run_id = v.run_id
WHERE EXISTS (SELECT FROM chunks AS c WHERE c.tenant_id = v.tenant_id AND c.run_id = v.run_id)
   OR v.is_active AND EXISTS (SELECT FROM stages AS s
                              WHERE s.run_id = v.run_id AND s.name = 'index' AND s.status = 'succeeded');
RESET ROLE;
