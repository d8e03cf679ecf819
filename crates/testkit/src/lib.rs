//! The foundation of tests: each has its own database, its own application and a clock that it controls.
//!
//! The databases live on the server of `TEST_DATABASE_URL`, which `make test` starts and stops (see
//! the binary `with-test-postgres`). Without it, a test starts a private server below the temporary
//! folder and leaves it running for the next one.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "in a test, a panic with a message is the right answer to what cannot be"
)]

mod app;
mod database;
mod disk;
mod environment;
mod kernel;
mod library;
pub mod mutate;
pub mod objects;
pub mod samples;
mod seeded_rng;
mod server;
pub mod sim;
mod steps;
mod text_results;

pub use app::{BOUNDARY, Request, Response, TestApp, TestSettings, TestTenant};
pub use database::TestDatabase;
pub use disk::{Disk, is_root};
pub use environment::{CountedIds, FakeClock, SeededRandom, fake_environment};
pub use kernel::MissingKernelFeature;
pub use library::Library;
pub use server::{TestServer, remove_databases_of_this_run};
pub use steps::{Disturbance, Disturbed, Steps};
