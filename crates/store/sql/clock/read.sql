SELECT clock_timestamp() AS time, jumped_at, hold_deletion_until FROM clock_state
