-- Where each model that gave vectors can be opened. A process that runs with another one opens it beside its own,
-- as long as some tenant's documents are found by it.
CREATE TABLE embedding_models (
    model    text NOT NULL,
    -- {"folder"} or {"service": {"host", "name", "dimension"}}; nothing secret.
    origin   jsonb NOT NULL,
    noted_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (model, origin)
);

-- Finds chunks that have no vector, and those that have none of the model that they are moved to.
CREATE INDEX chunks_by_model ON chunks (model);
DROP INDEX chunks_without_vector;
