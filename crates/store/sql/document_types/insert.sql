-- $5 the actor who adds the version.
INSERT INTO document_types (tenant_id, name, version, definition, created_by, created_at)
VALUES ($1, $2, $3, $4, $5, $6)
