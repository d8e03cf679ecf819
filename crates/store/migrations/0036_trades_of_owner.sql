-- Callers who see only their own documents list the trades of those. The index has what the list is filtered and sorted by, so that
-- only the trades of the page are read from the table. With tenant_id, which row-level security compares.
CREATE INDEX trades_of_document_recent ON trades (document_id, created_at DESC, trade_id DESC)
    INCLUDE (tenant_id, isin, trade_date, match_status, review_status);
