//! What a reading child cannot do once its door is closed.
//!
//! Two ways of refusing: an error, after which it may carry on, and the end, for what no reader tries by
//! accident.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may do what a test may")]

mod hostile;

use std::fs;

use hostile::{job, pool, program, settings, tell, tenant};
use reading::pool::{Pool, ReadFailure};
use reading::sandbox::Hold;

/// The order ends the child, by the signal for forbidden system calls.
async fn assert_deadly(order: &str) {
    let outcome = tell(&pool(), order).await;
    let killed = matches!(outcome, Err(ReadFailure::Crashed { signal: Some(libc::SIGSYS), .. }));
    assert!(killed, "`{order}` gave {outcome:?}");
}

async fn assert_refused(order: &str) {
    let outcome = tell(&pool(), order).await.unwrap();
    assert!(
        outcome.contains("ermission denied") || outcome.contains("not permitted"),
        "`{order}` gave `{outcome}`"
    );
}

#[tokio::test]
async fn every_lock_holds_on_this_kernel() {
    let answers = pool().run(tenant(1), job("child")).await.unwrap();
    let (_, door) = answers.child().unwrap();
    // An older kernel's Landlock knows no signals; seccomp refuses those anyway.
    assert!(door.landlock >= Hold::Partial, "{door:?}");
    assert_eq!(door.seccomp, Hold::Full);
}

#[tokio::test]
async fn no_file_can_be_opened() {
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("secret");
    fs::write(&secret, "a secret").unwrap();
    for path in ["/etc/passwd", "/proc/self/environ", "/dev/null", secret.to_str().unwrap()] {
        assert_refused(&format!("open {path}")).await;
    }
    assert_refused("list /").await;
}

#[tokio::test]
async fn no_file_can_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let there = folder.path().join("there");
    fs::write(&there, "as it was").unwrap();
    let new = folder.path().join("new");
    assert_refused(&format!("create {}", new.display())).await;
    assert_refused(&format!("append {}", there.display())).await;
    assert_refused(&format!("remove {}", there.display())).await;
    assert!(!new.exists());
    assert_eq!(fs::read_to_string(there).unwrap(), "as it was");
}

#[tokio::test]
async fn a_font_folder_can_be_read_and_nothing_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let fonts = folder.path().join("fonts");
    fs::create_dir(&fonts).unwrap();
    fs::write(fonts.join("a.ttf"), "font").unwrap();
    fs::write(folder.path().join("secret"), "secret").unwrap();
    let mut settings = settings();
    settings.arguments.push(fonts.clone().into());
    let pool = Pool::new(settings);
    let fonts = fonts.display();
    assert_eq!(tell(&pool, &format!("list {fonts}")).await.unwrap(), "done");
    assert_eq!(tell(&pool, &format!("look {fonts}/a.ttf")).await.unwrap(), "done");
    assert_eq!(tell(&pool, &format!("open {fonts}/a.ttf")).await.unwrap(), "done");
    let beside = tell(&pool, &format!("open {fonts}/../secret")).await.unwrap();
    assert!(beside.contains("denied"), "{beside}");
    let changed = tell(&pool, &format!("append {fonts}/a.ttf")).await.unwrap();
    assert!(changed.contains("not permitted"), "{changed}");
}

#[tokio::test]
async fn no_socket_can_be_had() {
    for order in ["tcp", "listen", "udp", "unix /run/docket.sock", "datagram"] {
        assert_deadly(order).await;
    }
}

#[tokio::test]
async fn no_process_can_be_started() {
    assert_deadly("spawn").await;
}

#[tokio::test]
async fn nobody_can_be_signalled() {
    assert_deadly("signal").await;
}

#[tokio::test]
async fn its_own_limits_stay_as_they_are() {
    assert_refused("limit").await;
    assert_refused("priority").await;
}

#[tokio::test]
async fn threads_still_work() {
    assert_eq!(tell(&pool(), "thread").await.unwrap(), "done");
}

#[tokio::test]
async fn the_environment_does_not_come_along() {
    // Only the one variable that is set for it.
    assert_eq!(tell(&pool(), "environment").await.unwrap(), "1");
}

#[test]
fn the_door_does_not_close_on_a_thread() {
    let output = std::process::Command::new(program()).arg("with-a-thread").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("2 threads"), "{said}");
}
