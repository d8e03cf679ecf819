-- What the processes tell each other about this server's clock: one row.
CREATE TABLE clock_state (
    only_row            boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    -- The last jump that a process has noticed, by the clock after the jump. Forward is positive.
    jumped_at           timestamptz,
    jumped_by_seconds   double precision,
    -- Set by a large jump: until then nothing is deleted because of its age. An operator who has checked the
    -- server's time may set it to NULL.
    hold_deletion_until timestamptz
);
INSERT INTO clock_state DEFAULT VALUES;
GRANT SELECT, UPDATE ON clock_state TO docket_system;
