//! Real `docket` processes for tests: started, spoken to, killed and waited for.
//!
//! A test has a [`DataFolder`] of its own, starts a [`Docket`] on it and gets a [`Server`] once that
//! has printed that it is ready; a [`Client`] talks to the server. Processes run on real time, so
//! tests wait for what they want to see, and fail after [`TIMEOUT`].

mod client;
mod data_folder;
mod docket;
mod papers;
mod person;
mod work;
mod writers;

use std::time::Duration;

pub(crate) use client::{Answer, Client};
pub(crate) use data_folder::{DataFolder, kill, lives};
pub(crate) use docket::{ADMIN, Docket, Finished, Server, WorkerProcess, shown_password};
pub(crate) use papers::Papers;
pub(crate) use person::{Person, address};
pub(crate) use testkit::{Disk, is_root};
pub(crate) use work::jobs_where;
pub(crate) use writers::{Writers, Written};

/// Longer than anything here takes, even on a busy machine.
pub(crate) const TIMEOUT: Duration = Duration::from_mins(1);
/// As the administrator's password, it need not be read off the screen.
pub(crate) const PASSWORD: &str = "correct horse battery";

/// Waits for something that other processes bring about.
pub(crate) async fn eventually(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let wait = async {
        while !holds().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let waited = tokio::time::timeout(TIMEOUT, wait).await;
    assert!(waited.is_ok(), "{what}: not within {TIMEOUT:?}");
}
