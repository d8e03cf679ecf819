//! What a reading child cannot do once it has locked itself down.
//!
//! Two ways of refusing: an error, after which it may carry on, and the end, for what no reader tries by
//! accident.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may do what a test may")]

mod hostile;

use std::collections::BTreeMap;
use std::fs::{self, File};

use hostile::{Lacking, child_of, job, pool, program, settings, tell, tenant};
use reading::pool::{ChildFailure, Pool, ReadFailure};
use reading::sandbox::{Enforcement, SandboxPolicy};

/// The order ends the child, by the signal for forbidden system calls.
async fn assert_deadly(order: &str) {
    let outcome = tell(&pool(), order).await;
    let killed = matches!(
        outcome,
        Err(ReadFailure::Child(ChildFailure::Crashed { signal: Some(libc::SIGSYS), .. }))
    );
    assert!(killed, "`{order}` gave {outcome:?}");
}

/// The order fails, and the child carries on.
async fn assert_refused(order: &str) {
    let outcome = tell(&pool(), order).await.unwrap();
    let refusals = ["ermission denied", "not permitted", "No such file"];
    assert!(refusals.iter().any(|refusal| outcome.contains(refusal)), "`{order}` gave `{outcome}`");
}

#[tokio::test]
async fn every_lock_holds_on_this_kernel() {
    let answers = pool().run(tenant(1), job("child")).await.unwrap();
    let (_, sandbox) = answers.child().unwrap();
    // An older kernel's Landlock knows no signals; seccomp refuses those anyway.
    assert!(sandbox.landlock >= Enforcement::Partial, "{sandbox:?}");
    assert_eq!(sandbox.seccomp, Enforcement::Full);
}

#[tokio::test]
async fn nothing_is_read_where_landlock_is_missing() {
    Lacking::Landlock.apply();
    let failure = tell(&pool(), "child").await.unwrap_err();
    let ReadFailure::Child(ChildFailure::Unprotected { sandbox }) = failure else {
        panic!("{failure:?}")
    };
    assert_eq!((sandbox.landlock, sandbox.seccomp), (Enforcement::None, Enforcement::Full));
    let said = "documents are read only in a sandbox, and Landlock is not active on this machine";
    assert_eq!(failure.to_string(), said);
    assert!(failure.advice().contains("DOCKET_SANDBOX=best_effort"));
}

#[tokio::test]
async fn nothing_is_read_where_seccomp_is_missing() {
    Lacking::Seccomp.apply();
    let failure = tell(&pool(), "child").await.unwrap_err();
    let ReadFailure::Child(ChildFailure::Unprotected { sandbox }) = failure else {
        panic!("{failure:?}")
    };
    assert!(sandbox.landlock.is_active() && !sandbox.seccomp.is_active(), "{sandbox:?}");
}

#[tokio::test]
async fn best_effort_reads_without_a_lock_and_says_so() {
    Lacking::Landlock.apply();
    let mut settings = settings();
    settings.sandbox = SandboxPolicy::BestEffort;
    let pool = Pool::new(settings);
    let sandbox = pool.check_sandbox().await.unwrap();
    assert!(!sandbox.landlock.is_active() && sandbox.seccomp.is_active(), "{sandbox:?}");
    assert_eq!(tell(&pool, "thread").await.unwrap(), "done");
}

/// `Name: value` of a process, as the kernel has it.
fn kernels_view(process: u32) -> BTreeMap<String, String> {
    let text = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let lines = text.lines().filter_map(|line| line.split_once(':'));
    lines.map(|(name, value)| (name.to_owned(), value.trim().to_owned())).collect()
}

#[tokio::test]
async fn a_child_has_no_rights_left() {
    let pool = pool();
    let answers = pool.run(tenant(1), job("hang")).await.unwrap();
    let status = kernels_view(child_of(&answers));
    for set in ["CapInh", "CapPrm", "CapEff", "CapAmb"] {
        assert_eq!(status[set], "0000000000000000", "{set}");
    }
    assert_eq!((status["NoNewPrivs"].as_str(), status["Seccomp"].as_str()), ("1", "2"));
    let own = rustix::process::getuid();
    let ids = |id: u32| [id; 4].map(|id| id.to_string()).join("\t");
    if own.is_root() {
        let id = 1_900_000_000 + child_of(&answers);
        assert_eq!((&status["Uid"], &status["Gid"]), (&ids(id), &ids(id)), "{status:?}");
        assert_eq!(status["Groups"], "");
        assert_eq!(status["CapBnd"], "0000000000000000");
        let sandbox = answers.child().unwrap().1;
        assert_eq!(sandbox.uid, id);
    } else {
        assert_eq!(status["Uid"], ids(own.as_raw()));
    }
}

#[tokio::test]
async fn no_descriptor_of_the_parent_reaches_a_child() {
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("open-in-the-parent");
    fs::write(&secret, "secret").unwrap();
    let file = File::open(&secret).unwrap();
    // Unlike what Rust opens, a duplicate is inherited.
    let inheritable = rustix::io::dup(&file).unwrap();
    let seen = tell(&pool(), "inherited").await.unwrap();
    drop(inheritable);
    assert!(!seen.contains("open-in-the-parent"), "{seen}");
    let own = ["socket:", "pipe:", "/proc/"];
    assert!(seen.split(' ').all(|seen| own.iter().any(|own| seen.starts_with(own))), "{seen}");
}

/// What the file system answers about a path that exists and about one that does not.
async fn assert_existence_is_hidden(pool: &Pool) {
    let folder = tempfile::tempdir().unwrap();
    let there = folder.path().join("there");
    fs::write(&there, "").unwrap();
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&there, &link).unwrap();
    let missing = folder.path().join("missing");
    for order in ["look", "look-at-link", "access", "open", "list"] {
        let of_missing = tell(pool, &format!("{order} {}", missing.display())).await.unwrap();
        assert_ne!(of_missing, "done", "{order}");
        for path in
            [there.as_path(), &link, folder.path(), "/etc/shadow".as_ref(), "/root".as_ref()]
        {
            let of_existing = tell(pool, &format!("{order} {}", path.display())).await.unwrap();
            assert_eq!(of_existing, of_missing, "{order} {}", path.display());
        }
    }
}

#[tokio::test]
async fn a_child_cannot_tell_which_paths_exist() {
    assert_existence_is_hidden(&pool()).await;
}

#[tokio::test]
async fn a_child_without_a_private_root_cannot_tell_either() {
    Lacking::Namespaces.apply();
    let pool = pool();
    let sandbox = pool.check_sandbox().await.unwrap();
    assert!(!sandbox.private_root && sandbox.is_active(), "{sandbox:?}");
    assert_existence_is_hidden(&pool).await;
    // What it was handed it reads all the same.
    assert_eq!(tell(&pool, "length").await.unwrap(), "6");
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
    if !pool().check_sandbox().await.unwrap().private_root {
        eprintln!("NO PRIVATE ROOT ON THIS MACHINE: no folder can be read; left out");
        return;
    }
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
    assert!(beside.contains("No such file"), "{beside}");
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
fn no_thread_escapes_the_lock_down() {
    let output = std::process::Command::new(program()).arg("with-a-thread").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("2 threads"), "{said}");
}
