-- Creates the role that takes physical backups of the private server: it reads the write-ahead log and the files, but no
-- table.
DO $$
BEGIN
    CREATE ROLE docket_backup LOGIN REPLICATION NOINHERIT;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
    NULL;
END
$$
