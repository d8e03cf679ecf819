-- The store that belongs to this database from now on: $1 its id, $2 now.
INSERT INTO object_store (store_id, tied_at) VALUES ($1, $2)
ON CONFLICT (only_row) DO UPDATE SET store_id = excluded.store_id, tied_at = excluded.tied_at
