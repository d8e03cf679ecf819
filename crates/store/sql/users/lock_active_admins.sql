-- Locks the active administrators in the order of their ids, so that two of them who demote each other cannot both succeed.
-- Not FOR UPDATE, so that audit rows that refer to them can be written meanwhile.
SELECT user_id FROM users
WHERE tenant_id = $1 AND role = 'admin' AND deactivated_at IS NULL
ORDER BY user_id
FOR NO KEY UPDATE
