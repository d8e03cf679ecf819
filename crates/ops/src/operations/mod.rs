//! Running a server: its first start, its periodic work, and whether it is ready.

pub(crate) mod check_readiness;
pub(crate) mod first_start;
pub(crate) mod housekeeping;
pub(crate) mod report_clock;
pub(crate) mod see_configuration;
