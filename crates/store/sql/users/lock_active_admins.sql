-- Locked in one order, so that two administrators who demote each other wait instead of both
-- succeeding. Not FOR UPDATE: an audit row that names one of them may be written meanwhile.
SELECT user_id FROM users
WHERE tenant_id = $1 AND role = 'admin' AND deactivated_at IS NULL
ORDER BY user_id
FOR NO KEY UPDATE
