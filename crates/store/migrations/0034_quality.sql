-- What reviews say about extraction: the measured error rate, and the evidence for accepting fields without review.

-- One row for each extracted value that a reviewer confirmed or corrected. It contains no text of the document, and stays
-- when the document is deleted.
CREATE TABLE reviewed_fields (
    result_id     uuid NOT NULL REFERENCES results,
    -- The place of the field in the result: `trades.0.isin`.
    path          text NOT NULL,
    tenant_id     uuid NOT NULL REFERENCES tenants,
    doc_id        uuid NOT NULL REFERENCES documents,
    document_type text NOT NULL,
    -- As the document type writes it: `trades[].isin`.
    field         text NOT NULL,
    kind          text NOT NULL,
    -- As extraction left them.
    confidence    double precision NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    status        text NOT NULL CHECK (status IN ('accepted', 'needs_review')),
    source        text,
    -- The document was accepted and reviewed by chance.
    is_sampled    boolean NOT NULL,
    was_correct   boolean NOT NULL,
    reviewed_at   timestamptz NOT NULL,
    PRIMARY KEY (result_id, path)
);
CREATE INDEX reviewed_fields_by_type ON reviewed_fields (tenant_id, document_type, reviewed_at);
SELECT docket_protect('reviewed_fields');

-- For each field of a payload (domain::Extraction) how many values it has, and how many of them are accepted:
-- {"trades[].isin": [3, 2]}.
CREATE FUNCTION docket_field_counts(payload jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(jsonb_object_agg(counted.name, jsonb_build_array(counted.extracted, counted.accepted)), '{}')
    FROM (
        SELECT found.name, count(*) AS extracted, count(*) FILTER (WHERE found.field ->> 'status' = 'accepted') AS accepted
        FROM (
            SELECT header.key AS name, header.value AS field
            FROM jsonb_each(coalesce(payload -> 'fields', '{}')) AS header
            UNION ALL
            SELECT 'trades[].' || of_trade.key, of_trade.value
            FROM jsonb_array_elements(coalesce(payload -> 'trades', '[]')) AS trade, jsonb_each(trade) AS of_trade
            UNION ALL
            SELECT 'lines[].' || of_line.key, of_line.value
            FROM jsonb_array_elements(coalesce(payload -> 'lines', '[]')) AS line, jsonb_each(line) AS of_line
        ) AS found
        WHERE found.field ->> 'value' IS NOT NULL
        GROUP BY found.name
    ) AS counted
$$;

-- Payloads are large; acceptance rates over months read only this.
ALTER TABLE results ADD COLUMN field_counts jsonb NOT NULL GENERATED ALWAYS AS (docket_field_counts(payload)) STORED;
CREATE INDEX results_by_time ON results (tenant_id, created_at);
