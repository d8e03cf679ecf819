//! Servers that are orphaned, killed and restarted.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::Signal;
use store::private::{Durability, PrivateServer, Released};

use crate::home::{Home, ask, connect, eventually, execute, kill, lives, settings, works_in};

/// Set for the test binary when it plays the Docket that gets killed.
const OWNER_FOLDER: &str = "DOCKET_TEST_OWNER_FOLDER";

/// Not a test: the Docket that `an_orphan_is_found_and_used_again` kills.
#[tokio::test]
#[ignore = "run by another test"]
async fn owner() {
    let folder = std::env::var_os(OWNER_FOLDER).expect("run by another test");
    let server = PrivateServer::start_or_attach(settings(Path::new(&folder))).await.unwrap();
    println!("\nserved by {}", server.postmaster_pid());
    std::future::pending::<()>().await;
}

/// Runs [`owner`] in a process of its own until it reports that its server runs.
pub(crate) fn start_owner(folder: &Path) -> (Child, u32) {
    let mut owner = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "dying::owner", "--ignored", "--nocapture"])
        .env(OWNER_FOLDER, folder)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let pid = BufReader::new(owner.stdout.take().unwrap())
        .lines()
        .find_map(|line| line.unwrap().strip_prefix("served by ")?.parse().ok())
        .expect("the owner's server");
    (owner, pid)
}

pub(crate) fn kill_and_reap(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

#[tokio::test]
async fn an_orphan_is_found_and_used_again() {
    let home = Home::new();
    let (owner, pid) = start_owner(&home.path());
    kill_and_reap(owner);
    assert!(lives(pid), "the server died with its owner");

    let server = home.attach().await;
    assert_eq!(server.postmaster_pid(), pid);
    assert_eq!(server.release().await.unwrap(), Released::Stopped);
    eventually("the orphan stops", || !works_in(pid, &home.data())).await;
}

#[tokio::test]
async fn another_process_counts_as_a_user_until_it_is_killed() {
    let home = Home::new();
    let (owner, pid) = start_owner(&home.path());
    let server = home.attach().await;
    assert_eq!(server.postmaster_pid(), pid);
    assert_eq!(server.release().await.unwrap(), Released::StillUsedByOthers);

    let server = home.attach().await;
    kill_and_reap(owner);
    assert_eq!(server.release().await.unwrap(), Released::Stopped);
}

#[tokio::test]
async fn a_killed_server_is_restarted_with_all_committed_data() {
    let home = Home::new();
    let mut durable = settings(&home.path());
    durable.durability = Durability::Full;
    let server = PrivateServer::start_or_attach(durable).await.unwrap();
    execute(&server, "CREATE TABLE kept (word text); INSERT INTO kept VALUES ('committed')").await;

    let killed = server.postmaster_pid();
    kill(killed, Signal::KILL);
    eventually("the supervisor restarts it", || server.postmaster_pid() != killed).await;
    assert_eq!(ask(&server, "SELECT word FROM kept").await, "committed");
    assert!(!lives(killed), "the dead server was not reaped");
    assert_eq!(server.release().await.unwrap(), Released::Stopped);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_supervisors_restart_one_server() {
    let home = Home::new();
    let (first, second) = (home.attach().await, home.attach().await);
    let killed = first.postmaster_pid();
    kill(killed, Signal::KILL);
    for server in [&first, &second] {
        eventually("both see the new one", || server.postmaster_pid() != killed).await;
    }
    assert_eq!(first.postmaster_pid(), second.postmaster_pid());
    first.release().await.unwrap();
    assert_eq!(second.release().await.unwrap(), Released::Stopped);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_waits_for_processes_of_the_dead_server() {
    const BUSY: &str = "DO $$ BEGIN FOR i IN 1..60000000 LOOP END LOOP; END $$";
    const IS_BUSY: &str = "SELECT count(*)::text FROM pg_stat_activity WHERE state = 'active' \
                           AND query LIKE 'DO %'";
    let home = Home::new();
    let server = home.attach().await;
    let mut connection = connect(&server).await;
    let lingering = tokio::spawn(async move { sqlx::raw_sql(BUSY).execute(&mut connection).await });
    while ask(&server, IS_BUSY).await == "0" {}

    let killed = server.postmaster_pid();
    kill(killed, Signal::KILL);
    eventually("the supervisor restarts it", || server.postmaster_pid() != killed).await;
    let log = fs::read_to_string(home.path().join("server.log")).unwrap();
    assert!(log.contains("is still in use"), "nothing lingered: {log}");
    drop(lingering);
    assert_eq!(server.release().await.unwrap(), Released::Stopped);
}

#[tokio::test]
async fn the_supervisor_retries_until_the_server_can_start() {
    let home = Home::new();
    let server = home.attach().await;
    let killed = server.postmaster_pid();
    let (control, hidden) = (home.data().join("global/pg_control"), home.data().join("hidden"));
    fs::rename(&control, &hidden).unwrap();
    kill(killed, Signal::KILL);
    let failures = || {
        let log = fs::read_to_string(home.path().join("server.log")).unwrap_or_default();
        log.lines().filter(|line| line.contains("pg_control")).count()
    };
    eventually("two attempts fail", || failures() >= 2).await;
    fs::rename(&hidden, &control).unwrap();
    eventually("the server comes back", || server.postmaster_pid() != killed).await;
    assert_eq!(ask(&server, "SELECT 'recovered'").await, "recovered");
    assert_eq!(server.release().await.unwrap(), Released::Stopped);
}

#[tokio::test]
async fn releasing_a_dead_server_that_cannot_start_does_not_hang() {
    let home = Home::new();
    let server = home.attach().await;
    let killed = server.postmaster_pid();
    fs::remove_file(home.data().join("global/pg_control")).unwrap();
    kill(killed, Signal::KILL);
    eventually("the death is noticed", || !works_in(killed, &home.data())).await;
    let released = tokio::time::timeout(Duration::from_secs(30), server.release()).await;
    assert_eq!(released.expect("in time").unwrap(), Released::Stopped);
}
