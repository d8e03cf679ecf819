-- Lists of documents in other orders than by the moment of upload.

-- What documents are sorted by when a list is sorted by title: upper and lower case are equal, and the order does not
-- depend on the locale of the server. A column, because row-level security uses no index on an expression.
ALTER TABLE documents
    ADD COLUMN title_key text COLLATE "C" GENERATED ALWAYS AS (left(lower(title), 120)) STORED;
ALTER TABLE document_owners
    ADD COLUMN title_key text COLLATE "C" GENERATED ALWAYS AS (left(lower(title), 120)) STORED;

CREATE INDEX documents_by_title ON documents (tenant_id, title_key, doc_id) WHERE deleted_at IS NULL;
CREATE INDEX documents_by_change ON documents (tenant_id, updated_at DESC, doc_id DESC) WHERE deleted_at IS NULL;
-- An owner sorts by the titles that they chose themselves.
CREATE INDEX document_owners_by_title ON document_owners (tenant_id, owner, title_key, doc_id);
