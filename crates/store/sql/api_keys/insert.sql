-- Keys of one tenant and their rows in the log.
SELECT docket_add_api_keys($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
