UPDATE schedules SET lease_token = NULL, lease_until = NULL, last_ended = $3
WHERE name = $1 AND lease_token = $2
