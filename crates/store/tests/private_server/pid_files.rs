//! Pid files that are incomplete or wrong.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixListener;
use std::process::{Command, Stdio};

use rustix::process::geteuid;
use store::private::Released;

use crate::dying::kill_and_reap;
use crate::home::{Home, ask, lives};

/// Overwrites the process number in what looks like the pid file of a server that was never
/// stopped.
async fn leave_pid_file(home: &Home, pid: &str) {
    home.make_cluster().await;
    let text = format!("{pid}\n/proc/self/cwd\n1792000000\n5432\n.\n\n  5432001 32768\nready   \n");
    for name in ["postmaster.pid", ".s.PGSQL.5432.lock"] {
        let path = home.data().join(name);
        fs::write(&path, if pid.is_empty() { "" } else { &text }).unwrap();
        let owner = fs::metadata(home.data()).unwrap();
        std::os::unix::fs::chown(&path, Some(owner.uid()), Some(owner.gid())).unwrap();
    }
}

#[tokio::test]
async fn a_pid_file_of_a_dead_process_is_no_obstacle() {
    let home = Home::new();
    let mut gone = Command::new("true").spawn().unwrap();
    gone.wait().unwrap();
    leave_pid_file(&home, &gone.id().to_string()).await;
    let server = home.attach().await;
    assert_ne!(server.postmaster_pid(), gone.id());
    assert_eq!(ask(&server, "SELECT 'fresh'").await, "fresh");
    server.release().await.unwrap();
}

#[tokio::test]
async fn a_pid_file_of_an_unrelated_process_is_no_obstacle() {
    let home = Home::new();
    home.make_cluster().await;
    // PostgreSQL itself distrusts only processes of its own user.
    let owner = fs::metadata(home.data()).unwrap();
    let mut idle = Command::new("cat");
    if geteuid().is_root() {
        use std::os::unix::process::CommandExt;
        idle.uid(owner.uid()).gid(owner.gid());
    }
    let unrelated = idle.stdin(Stdio::piped()).spawn().unwrap();
    leave_pid_file(&home, &unrelated.id().to_string()).await;

    let server = home.attach().await;
    assert_ne!(server.postmaster_pid(), unrelated.id());
    assert_eq!(server.release().await.unwrap(), Released::Stopped);
    assert!(lives(unrelated.id()), "a stranger was stopped");
    kill_and_reap(unrelated);
}

#[tokio::test]
async fn an_incomplete_pid_file_is_no_obstacle() {
    let home = Home::new();
    leave_pid_file(&home, "").await;
    home.attach().await.release().await.unwrap();
}

#[tokio::test]
async fn a_server_that_listens_but_is_invisible_is_not_touched() {
    let home = Home::new();
    leave_pid_file(&home, "4194304").await;
    let _elsewhere = UnixListener::bind(home.data().join(".s.PGSQL.5432")).unwrap();
    let expected = format!(
        "The data folder {} is in use by a PostgreSQL server outside this container. Stop it, or \
         choose another data folder.",
        home.data().display()
    );
    assert_eq!(home.refusal().await, expected);
    assert!(home.data().join("postmaster.pid").exists());
}
