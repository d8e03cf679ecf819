//! A private PostgreSQL whose Docket was killed: it is taken up by the next one, or stopped after a while.

use rustix::process::Signal;

use crate::support::{Client, DataFolder, Docket, eventually, kill, lives};

const GRACE: &str = "DOCKET_POSTGRES_ORPHAN_GRACE_SECONDS";

/// The watchdogs that were started for this folder.
fn watchdogs(folder: &DataFolder) -> Vec<u32> {
    let wanted = folder.path().join("postgres");
    let wanted = wanted.to_str().unwrap();
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let is_watchdog = |pid: &u32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).into_owned();
        let mut words = line.split('\0');
        lives(*pid) && words.nth(1) == Some("postgres-watchdog") && words.next() == Some(wanted)
    };
    numbers.filter(is_watchdog).collect()
}

#[tokio::test]
async fn it_is_stopped_when_nobody_takes_it_up() {
    let folder = DataFolder::new();
    let server = Docket::serve(&folder).env(GRACE, "1").start().await;
    let (key, _) = Client::admin(&server).await.make_key("made before").await;
    server.kill().await;
    folder.is_left_alone().await;
    eventually("the watchdog ends", async || watchdogs(&folder).is_empty()).await;
    let log = std::fs::read_to_string(folder.path().join("postgres/server.log")).unwrap();
    assert!(log.contains("stopped PostgreSQL: no Docket has used it for 1 s"), "{log}");

    let server = Docket::serve(&folder).start().await;
    assert_eq!(Client::admin(&server).await.key_ids().await, [key]);
    server.stop().await.succeeded();
    eventually("the watchdog ends", async || watchdogs(&folder).is_empty()).await;
}

#[tokio::test]
async fn the_next_docket_goes_on_with_it() {
    let folder = DataFolder::new();
    let server = Docket::serve(&folder).start().await;
    let orphan = folder.postmaster();
    assert!(orphan.is_some(), "PostgreSQL runs");
    server.kill().await;
    let server = Docket::serve(&folder).start().await;
    assert_eq!(folder.postmaster(), orphan);
    server.stop().await.succeeded();
    folder.is_left_alone().await;
    for pid in watchdogs(&folder) {
        kill(pid, Signal::KILL);
    }
}

#[tokio::test]
async fn it_is_left_alone_as_long_as_somebody_uses_it() {
    let folder = DataFolder::new();
    let server = Docket::serve(&folder).env(GRACE, "1").start().await;
    let [of_server] = watchdogs(&folder)[..] else { panic!("one for each Docket") };
    let worker = Docket::on(&folder, ["worker"]).env(GRACE, "1").start_worker().await;
    let running = folder.postmaster();
    server.kill().await;
    // It has waited, looked and found the worker.
    eventually("its watchdog ends", async || !lives(of_server)).await;
    assert_eq!(folder.postmaster(), running);
    worker.kill().await;
    folder.is_left_alone().await;
    eventually("the watchdogs end", async || watchdogs(&folder).is_empty()).await;
}

#[tokio::test]
async fn a_watchdog_that_is_killed_changes_nothing_for_its_docket() {
    let folder = DataFolder::new();
    let server = Docket::serve(&folder).start().await;
    for pid in watchdogs(&folder) {
        kill(pid, Signal::KILL);
    }
    eventually("the watchdog is gone", async || watchdogs(&folder).is_empty()).await;
    assert_eq!(Client::of(&server).get("/readyz").await.status, 200);
    server.stop().await.succeeded();
    folder.is_left_alone().await;
}
