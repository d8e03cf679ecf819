-- Sets the status of batches as batches.rs decided: $1 batches, $2 statuses, $3 whether they have ended, $4 now.
UPDATE batches AS b SET status = decided.status, finished_at = CASE WHEN decided.is_over THEN $4::timestamptz END
FROM unnest($1::uuid[], $2::text[], $3::boolean[]) AS decided (batch_id, status, is_over)
WHERE b.batch_id = decided.batch_id
