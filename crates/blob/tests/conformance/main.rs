//! One suite for every kind of store, and the faults of each kind.
//!
//! [`suite::run`] runs all tests on one store, so that a server is started once.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "the helpers of a test may do what a test may"
)]

mod bucket_faults;
mod folder;
mod folder_faults;
mod folder_unmounted;
mod gcs;
mod harness;
mod s3;
mod suite;
