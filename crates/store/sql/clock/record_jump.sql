-- $1 by how many seconds, $2 until when nothing is deleted. A small jump (NULL) keeps an earlier hold.
UPDATE clock_state
SET jumped_at = clock_timestamp(), jumped_by_seconds = $1, hold_deletion_until = coalesce($2, hold_deletion_until)
