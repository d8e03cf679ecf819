-- $1 by how many seconds, $2 until when deletion is held back; a small jump (null) leaves an earlier hold as it is.
UPDATE clock_state
SET jumped_at = clock_timestamp(), jumped_by_seconds = $1, hold_deletion_until = coalesce($2, hold_deletion_until)
