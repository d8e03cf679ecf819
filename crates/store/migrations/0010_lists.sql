-- Lists of documents that come out of an index in their order, whichever way they are narrowed down.

-- Which documents have a value: a facet is `type`, `source` or `tag`. The document's moment is repeated, as
-- for owners. One table for all of them, written when a document is made and not again with every change
-- of its state, as an index on `documents` would be.
CREATE TABLE document_facets (
    tenant_id  uuid NOT NULL,
    facet      text NOT NULL CHECK (facet IN ('type', 'source', 'tag')),
    value      text NOT NULL,
    created_at timestamptz NOT NULL,
    doc_id     uuid NOT NULL,
    PRIMARY KEY (tenant_id, facet, value, created_at, doc_id)
);
SELECT docket_protect('document_facets');

-- A tag that is given twice is one.
CREATE FUNCTION docket_facets_of(source_type text, source text, tags text[])
RETURNS TABLE (facet text, value text) LANGUAGE sql IMMUTABLE AS $$
    SELECT 'type', source_type
    UNION ALL SELECT 'source', source
    UNION ALL SELECT DISTINCT 'tag', tag FROM unnest(tags) AS tag
$$;

-- A document that is deleted has no values, so that they can be counted without looking at documents.
CREATE FUNCTION docket_follow_facets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.deleted_at IS NULL THEN
        DELETE FROM document_facets AS listed USING docket_facets_of(OLD.source_type, OLD.source, OLD.tags) AS had
        WHERE listed.tenant_id = OLD.tenant_id AND listed.facet = had.facet AND listed.value = had.value
          AND listed.created_at = OLD.created_at AND listed.doc_id = OLD.doc_id;
    END IF;
    IF NEW.deleted_at IS NULL THEN
        INSERT INTO document_facets (tenant_id, facet, value, created_at, doc_id)
        SELECT NEW.tenant_id, has.facet, has.value, NEW.created_at, NEW.doc_id
        FROM docket_facets_of(NEW.source_type, NEW.source, NEW.tags) AS has;
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER document_is_listed AFTER INSERT ON documents
    FOR EACH ROW EXECUTE FUNCTION docket_follow_facets();
CREATE TRIGGER document_is_listed_anew AFTER UPDATE OF tags, deleted_at ON documents
    FOR EACH ROW WHEN (OLD.tags IS DISTINCT FROM NEW.tags OR OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
    EXECUTE FUNCTION docket_follow_facets();

-- A batch's documents in the order of the other lists.
ALTER TABLE batch_documents ADD COLUMN created_at timestamptz;

-- What is there already belongs to every tenant.
SET LOCAL docket.every_tenant = 'on';
INSERT INTO document_facets (tenant_id, facet, value, created_at, doc_id)
SELECT d.tenant_id, has.facet, has.value, d.created_at, d.doc_id
FROM documents AS d, docket_facets_of(d.source_type, d.source, d.tags) AS has WHERE d.deleted_at IS NULL;
-- Checked for all rows at once rather than for each.
ALTER TABLE document_facets ADD FOREIGN KEY (doc_id) REFERENCES documents;
UPDATE batch_documents AS bd SET created_at = d.created_at FROM documents AS d WHERE d.doc_id = bd.doc_id;
SET LOCAL docket.every_tenant = 'off';

ALTER TABLE batch_documents ALTER COLUMN created_at SET NOT NULL;
CREATE INDEX batch_documents_recent ON batch_documents (batch_id, created_at DESC, doc_id DESC);
