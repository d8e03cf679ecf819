-- Layout memory: what confirmed documents teach about the next ones of their issuers. One row for each document and type
-- that was learnt from. It contains hashes of labels and geometry, no text and no values.
CREATE TABLE layout_memory (
    memory_id     uuid PRIMARY KEY,
    tenant_id     uuid NOT NULL REFERENCES tenants,
    -- The document that it was learnt from. With the document goes what it taught.
    doc_id        uuid NOT NULL REFERENCES documents ON DELETE CASCADE,
    document_type text NOT NULL,
    -- `extraction::memory::MemoryEntry`, with its version.
    entry         jsonb NOT NULL,
    learnt_at     timestamptz NOT NULL,
    -- When a document of a similar layout was last reviewed.
    last_used_at  timestamptz NOT NULL,
    UNIQUE (tenant_id, doc_id, document_type)
);
CREATE INDEX layout_memory_by_use ON layout_memory (tenant_id, last_used_at, memory_id);
SELECT docket_protect('layout_memory');

-- The bands of each fingerprint: similar layouts share at least one. They are rows and not an array, because under row-level
-- security PostgreSQL does not use an index for operators of arrays, which are not leakproof.
CREATE TABLE layout_memory_bands (
    tenant_id uuid NOT NULL REFERENCES tenants,
    band      integer NOT NULL,
    memory_id uuid NOT NULL REFERENCES layout_memory ON DELETE CASCADE,
    PRIMARY KEY (tenant_id, band, memory_id)
);
CREATE INDEX layout_memory_bands_of_entry ON layout_memory_bands (memory_id);
SELECT docket_protect('layout_memory_bands');

-- How often each field of an entry was right and wrong, according to reviewers of later documents.
CREATE TABLE layout_memory_counts (
    tenant_id   uuid NOT NULL REFERENCES tenants,
    memory_id   uuid NOT NULL REFERENCES layout_memory ON DELETE CASCADE,
    field       text NOT NULL,
    right_count integer NOT NULL,
    wrong_count integer NOT NULL,
    PRIMARY KEY (memory_id, field)
);
SELECT docket_protect('layout_memory_counts');
