-- Links an object store ($1) to this database. $2 now.
INSERT INTO object_store (store_id, linked_at) VALUES ($1, $2)
ON CONFLICT (only_row) DO UPDATE SET store_id = excluded.store_id, linked_at = excluded.linked_at
