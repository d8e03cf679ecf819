//! The real `docket` binary as a process: what it prints, what it leaves on the disk, how it ends,
//! and that it keeps its word when it or its PostgreSQL is killed.
//!
//! Everything here works as root and as an ordinary user; the few stories that need root say so and
//! pass without it.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "the helpers of a test may do what a test may"
)]

mod account;
mod asking;
mod bad_disk;
mod bad_input;
mod bad_log;
mod bad_postgres;
mod commands;
mod database_logins;
mod document_commands;
mod documents;
mod faults;
mod first_start;
mod hostile;
mod ingesting;
mod kills;
mod language_model;
mod limits;
mod log_lines;
mod object_store;
mod orphans;
mod owners;
mod page_views;
mod progress_bars;
mod reading;
mod revocation;
mod sandbox;
mod scanning;
mod stopping;
#[expect(dead_code, reason = "the process tests of docket-chaos use the rest")]
mod support;
mod tampering;
mod together;
mod types;

/// The program under test.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_docket");
