-- What can be found: chunks of versions, their terms and vectors; and what changed, for those who keep an
-- index of it in memory.

-- A piece of what a run made of a document. It can be found while the version of that run is active.
CREATE TABLE chunks (
    chunk_id    uuid PRIMARY KEY,
    tenant_id   uuid NOT NULL REFERENCES tenants,
    doc_id      uuid NOT NULL REFERENCES documents,
    run_id      uuid NOT NULL REFERENCES ingestion_runs,
    position    int NOT NULL,
    -- The headings that it stands under, the outermost first.
    heading     jsonb NOT NULL,
    text        text NOT NULL,
    tokens      int NOT NULL,
    first_page  int NOT NULL,
    last_page   int NOT NULL,
    -- Where it stands: [{"page", "box"}].
    areas       jsonb NOT NULL,
    -- The full text: its terms and how often each occurs, packed.
    terms       bytea NOT NULL,
    -- The last model that gave it a vector; null while it waits for one.
    model       text,
    created_at  timestamptz NOT NULL,
    UNIQUE (run_id, position)
);
CREATE INDEX chunks_of_tenant ON chunks (tenant_id, run_id);
CREATE INDEX chunks_without_vector ON chunks (tenant_id) WHERE model IS NULL;
SELECT docket_protect('chunks');

-- One for each part of a chunk, which is as near to a query as its nearest part. A chunk may have the
-- vectors of two models while one takes the place of the other.
CREATE TABLE chunk_vectors (
    chunk_id    uuid NOT NULL REFERENCES chunks ON DELETE CASCADE,
    model       text NOT NULL,
    part        int NOT NULL,
    tenant_id   uuid NOT NULL REFERENCES tenants,
    -- The hash of what was embedded: the same text is not embedded twice.
    content_key bytea NOT NULL,
    embedding   vector NOT NULL,
    PRIMARY KEY (chunk_id, model, part)
);
ALTER TABLE chunk_vectors ALTER COLUMN embedding SET STORAGE PLAIN;
CREATE INDEX chunk_vectors_by_content ON chunk_vectors (tenant_id, model, content_key);
SELECT docket_protect('chunk_vectors');

-- The model by whose vectors a tenant's documents are found; the first one that was used, until another
-- has been through all of them.
ALTER TABLE tenants ADD COLUMN search_model text;

-- Documents whose being found may have changed, by transaction. Who has an index of everything up to one
-- transaction reads on from there.
CREATE TABLE search_changes (
    tenant_id  uuid NOT NULL REFERENCES tenants,
    xact       xid8 NOT NULL DEFAULT pg_current_xact_id(),
    doc_id     uuid NOT NULL,
    -- Tells those apart that one transaction made.
    change_id  bigint GENERATED ALWAYS AS IDENTITY,
    changed_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX search_changes_in_order ON search_changes (tenant_id, xact);
CREATE INDEX search_changes_by_age ON search_changes (changed_at);
SELECT docket_protect('search_changes');

CREATE FUNCTION docket_note_search_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- A document that is not served cannot be found, whatever else becomes of it.
    IF TG_TABLE_NAME = 'document_versions'
       OR EXISTS (SELECT FROM document_versions WHERE doc_id = NEW.doc_id AND is_active) THEN
        INSERT INTO search_changes (tenant_id, doc_id) VALUES (NEW.tenant_id, NEW.doc_id);
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER version_is_found AFTER INSERT OR UPDATE OF is_active ON document_versions
    FOR EACH ROW EXECUTE FUNCTION docket_note_search_change();
CREATE TRIGGER document_is_found AFTER UPDATE OF tags, deleted_at ON documents
    FOR EACH ROW WHEN (OLD.tags IS DISTINCT FROM NEW.tags OR OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
    EXECUTE FUNCTION docket_note_search_change();
CREATE TRIGGER owner_finds AFTER INSERT ON document_owners
    FOR EACH ROW EXECUTE FUNCTION docket_note_search_change();
CREATE TRIGGER batch_finds AFTER INSERT ON batch_documents
    FOR EACH ROW EXECUTE FUNCTION docket_note_search_change();
