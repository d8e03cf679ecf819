//! The private PostgreSQL server, with real processes: started, shared, orphaned, killed and
//! broken.
//!
//! Every test has a folder of its own. Those that need root say so and pass without it.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "the helpers of a test may do what a test may"
)]

mod admission;
mod dying;
mod folders;
mod home;
mod pid_files;
mod starting;
