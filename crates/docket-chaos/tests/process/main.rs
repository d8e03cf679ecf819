//! Docket as a process, with stages that only take time: what workers do when they are stopped, suspended or killed, and
//! what jobs look like meanwhile. The helpers are those of Docket's own process tests.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "the helpers of a test may do what a test may"
)]

mod at_the_terminal;
mod chaos;
mod clocks;
mod panics;
mod queue;
#[path = "../../../docket/tests/process/support/mod.rs"]
#[expect(dead_code, unused_imports, reason = "Docket's own process tests use the rest")]
mod support;
mod working;

/// The program under test: Docket with the stages of the drill.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_docket-chaos");
