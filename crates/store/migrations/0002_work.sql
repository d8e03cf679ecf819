-- Runs, their stages, and the jobs that are the queue; and the outbox that tells the world.

CREATE TABLE ingestion_runs (
    run_id        uuid PRIMARY KEY,
    tenant_id     uuid NOT NULL REFERENCES tenants,
    doc_id        uuid NOT NULL,
    status        text NOT NULL CHECK (status IN ('queued', 'running', 'succeeded', 'failed')),
    run_type      text NOT NULL DEFAULT 'manual_upload' CHECK (run_type IN ('manual_upload', 's3_sync')),
    pipeline      text[] NOT NULL CHECK (cardinality(pipeline) > 0),
    parent_run_id uuid REFERENCES ingestion_runs,
    reason        text,
    initiated_by  uuid REFERENCES users,
    config        jsonb NOT NULL DEFAULT '{}',
    stats         jsonb NOT NULL DEFAULT '{}',
    error         text,
    created_at    timestamptz NOT NULL,
    -- Set by the first claim and kept on retries.
    started_at    timestamptz,
    -- The last sign of life.
    updated_at    timestamptz NOT NULL,
    finished_at   timestamptz
);
CREATE INDEX idx_ingestion_runs_tenant_status ON ingestion_runs (tenant_id, status);
CREATE INDEX idx_ingestion_runs_stale ON ingestion_runs (status, updated_at)
    WHERE status IN ('queued', 'running');
SELECT docket_protect('ingestion_runs');

-- What became of each stage of each run.
CREATE TABLE stages (
    run_id     uuid NOT NULL REFERENCES ingestion_runs,
    name       text NOT NULL,
    tenant_id  uuid NOT NULL REFERENCES tenants,
    status     text NOT NULL CHECK (status IN ('succeeded', 'failed')),
    started_at timestamptz NOT NULL,
    ended_at   timestamptz NOT NULL,
    worker_id  text NOT NULL,
    retries    int NOT NULL,
    error      text,
    artifacts  jsonb NOT NULL DEFAULT '[]',
    trace      jsonb,
    PRIMARY KEY (run_id, name)
);
SELECT docket_protect('stages');

-- The queue. A job is leased while somebody works on it: `lease_token` is new with every claim, and
-- whoever reports an outcome must show it.
CREATE TABLE jobs (
    job_id       uuid PRIMARY KEY,
    tenant_id    uuid NOT NULL REFERENCES tenants,
    run_id       uuid NOT NULL REFERENCES ingestion_runs,
    doc_id       uuid NOT NULL,
    type         text NOT NULL DEFAULT 'DOCUMENT_PROCESSING',
    stage        text NOT NULL,
    status       text NOT NULL CHECK (status IN ('PENDING', 'PROCESSING', 'COMPLETED', 'DEAD')),
    priority     smallint NOT NULL DEFAULT 0,
    -- Retries used up, and allowed.
    attempts     int NOT NULL DEFAULT 0,
    max_attempts int NOT NULL,
    -- How often its worker died under it.
    expiries     int NOT NULL DEFAULT 0,
    next_run_at  timestamptz NOT NULL,
    lease_token  uuid,
    lease_until  timestamptz,
    worker_id    text,
    started_at   timestamptz,
    error        text,
    error_class  text CHECK (error_class IN ('retry', 'permanent', 'poison', 'cancelled')),
    guidance     text,
    trace_parent text,
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL,
    UNIQUE (run_id, stage),
    CHECK ((status = 'PROCESSING') = (lease_token IS NOT NULL)),
    CHECK ((lease_token IS NULL) = (lease_until IS NULL))
) WITH (fillfactor = 70);
-- Only what waits, only what is leased, only what is dead: finished jobs cost a claim nothing.
CREATE INDEX jobs_waiting ON jobs (stage, tenant_id, priority DESC, next_run_at, job_id)
    WHERE status = 'PENDING';
-- No index holds lease_until or updated_at, so that a heartbeat touches none.
CREATE INDEX jobs_leased ON jobs (job_id) WHERE status = 'PROCESSING';
CREATE INDEX jobs_dead ON jobs (tenant_id, created_at DESC, job_id DESC) WHERE status = 'DEAD';
CREATE INDEX jobs_of_tenant ON jobs (tenant_id, created_at DESC, job_id DESC);
SELECT docket_protect('jobs');

CREATE TABLE outbox_events (
    evt_id     uuid PRIMARY KEY,
    tenant_id  uuid NOT NULL REFERENCES tenants,
    topic      text NOT NULL,
    payload    jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    delivered  boolean NOT NULL DEFAULT false,
    attempts   int NOT NULL DEFAULT 0,
    last_error text
);
CREATE INDEX outbox_events_waiting ON outbox_events (created_at, evt_id) WHERE NOT delivered;
SELECT docket_protect('outbox_events');

-- Things that happen again and again, by one process at a time.
CREATE TABLE schedules (
    name        text PRIMARY KEY,
    next_at     timestamptz NOT NULL,
    lease_token uuid,
    lease_until timestamptz,
    last_began  timestamptz,
    last_ended  timestamptz
);
