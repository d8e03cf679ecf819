-- Results of extraction: versions of the typed fields of a document, what people decided about them, and the trades of the
-- current one.

CREATE TABLE results (
    result_id          uuid PRIMARY KEY,
    tenant_id          uuid NOT NULL REFERENCES tenants,
    doc_id             uuid NOT NULL REFERENCES documents,
    run_id             uuid NOT NULL REFERENCES ingestion_runs,
    -- Counts the results of the document, from 1.
    result_version     int NOT NULL CHECK (result_version > 0),
    -- The fields with their evidence, in a versioned form (domain::Extraction).
    payload            jsonb NOT NULL,
    -- The confidence of each field, by its path.
    confidences        jsonb NOT NULL,
    document_type      text NOT NULL,
    type_version       int NOT NULL,
    -- `waiting`: a person reviewed the current result, so this one waits for promotion.
    state              text NOT NULL CHECK (state IN ('current', 'waiting', 'superseded')),
    -- A person edited, approved or promoted it.
    is_reviewed        boolean NOT NULL,
    sampled_for_review boolean NOT NULL,
    -- The version that was promoted; NULL for the result of a run.
    promoted_from      int,
    created_at         timestamptz NOT NULL
);
CREATE UNIQUE INDEX results_latest ON results (doc_id, result_version);
CREATE UNIQUE INDEX results_one_current ON results (doc_id) WHERE state = 'current';
CREATE UNIQUE INDEX results_one_waiting ON results (doc_id) WHERE state = 'waiting';
-- A run has one result, however often its stage is repeated.
CREATE UNIQUE INDEX results_of_run ON results (run_id) WHERE promoted_from IS NULL;
SELECT docket_protect('results');
REVOKE DELETE ON results FROM docket_app, docket_system;

-- What a person did with a result. An edit has a JSON Patch, a promotion has none.
CREATE TABLE reviews (
    review_id           uuid PRIMARY KEY,
    tenant_id           uuid NOT NULL REFERENCES tenants,
    doc_id              uuid NOT NULL REFERENCES documents,
    -- NULL when an API key did it.
    user_id             uuid REFERENCES users,
    actor               text NOT NULL,
    kind                text NOT NULL CHECK (kind IN ('promoted')),
    created_at          timestamptz NOT NULL,
    edit_patch          jsonb,
    from_result_version int NOT NULL,
    to_result_version   int NOT NULL
);
CREATE INDEX reviews_of_document ON reviews (doc_id, created_at DESC);
SELECT docket_protect('reviews');
REVOKE UPDATE, DELETE ON reviews FROM docket_app, docket_system;

-- The trades of the current results.
CREATE TABLE trades (
    trade_id           uuid PRIMARY KEY,
    tenant_id          uuid NOT NULL REFERENCES tenants,
    document_id        uuid NOT NULL REFERENCES documents (doc_id) ON DELETE RESTRICT,
    result_id          uuid NOT NULL REFERENCES results,
    run_id             uuid NOT NULL REFERENCES ingestion_runs,
    -- Its place among the trades of the result, from 0.
    position           int NOT NULL,
    -- The request record that it matches.
    request_id         text,
    confidence_score   double precision NOT NULL,
    -- The fields of the trade with their evidence (domain::FieldGroup).
    raw_extracted_data jsonb NOT NULL,
    match_status       text NOT NULL CHECK (match_status IN ('pending', 'matched', 'ambiguous', 'unmatched')),
    review_status      text NOT NULL CHECK (review_status IN ('pending', 'approved', 'rejected')),
    -- Copies of the fields by which trades are listed.
    side               text,
    isin               text,
    trade_date         date,
    settlement_date    date,
    created_at         timestamptz NOT NULL,
    updated_at         timestamptz NOT NULL
);
CREATE INDEX trades_of_document ON trades (document_id, position);
CREATE INDEX trades_recent ON trades (tenant_id, created_at DESC, trade_id DESC);
CREATE INDEX trades_by_isin ON trades (tenant_id, isin, created_at DESC, trade_id DESC);
CREATE INDEX trades_by_date ON trades (tenant_id, trade_date);
CREATE INDEX trades_by_match ON trades (tenant_id, match_status, created_at DESC, trade_id DESC);
CREATE INDEX trades_by_review ON trades (tenant_id, review_status, created_at DESC, trade_id DESC);
SELECT docket_protect('trades');
