-- People name documents, runs and batches by the last digits of their ids: the first ones are the time, which is the
-- same for all that was created within a minute. The digits are stored in reverse order, so that an index finds every
-- id that ends with some of them. They are a column and not an expression in the index, because under row-level
-- security PostgreSQL does not look an expression up in an index unless its functions are leakproof. They come first in the
-- index, so that no statement about one tenant chooses it to read all rows of that tenant.
ALTER TABLE documents ADD COLUMN reversed_id text COLLATE "C" NOT NULL
    GENERATED ALWAYS AS (reverse(right(doc_id::text, 12))) STORED;
CREATE INDEX documents_by_reversed_id ON documents (reversed_id, tenant_id) WHERE deleted_at IS NULL;

ALTER TABLE ingestion_runs ADD COLUMN reversed_id text COLLATE "C" NOT NULL
    GENERATED ALWAYS AS (reverse(right(run_id::text, 12))) STORED;
CREATE INDEX runs_by_reversed_id ON ingestion_runs (reversed_id, tenant_id);

ALTER TABLE batches ADD COLUMN reversed_id text COLLATE "C" NOT NULL
    GENERATED ALWAYS AS (reverse(right(batch_id::text, 12))) STORED;
CREATE INDEX batches_by_reversed_id ON batches (reversed_id, tenant_id);
