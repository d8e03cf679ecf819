-- `version` counted edits by people, and is easily mistaken for the versions of a document.
ALTER TABLE documents RENAME COLUMN version TO revision;

-- `source_type` also names where the content of a run came from (`config ->> 'source_type'` of a run).
ALTER TABLE documents RENAME COLUMN source_type TO file_kind;

-- A function finds columns by name when it runs: it needs the new one. Otherwise it is unchanged.
CREATE OR REPLACE FUNCTION docket_follow_facets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.deleted_at IS NULL THEN
        DELETE FROM document_facets AS listed USING docket_facets_of(OLD.file_kind, OLD.source, OLD.tags) AS had
        WHERE listed.tenant_id = OLD.tenant_id AND listed.facet = had.facet AND listed.value = had.value
          AND listed.created_at = OLD.created_at AND listed.doc_id = OLD.doc_id;
    END IF;
    IF NEW.deleted_at IS NULL THEN
        INSERT INTO document_facets (tenant_id, facet, value, created_at, doc_id)
        SELECT NEW.tenant_id, has.facet, has.value, NEW.created_at, NEW.doc_id
        FROM docket_facets_of(NEW.file_kind, NEW.source, NEW.tags) AS has;
    END IF;
    RETURN NULL;
END
$$;
