//! Folders and disks that cannot be used.

use std::fs;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;

use rustix::process::geteuid;
use store::private::PrivateServer;

use crate::home::{Home, ask, needs_root, settings};

#[tokio::test]
async fn a_first_start_that_was_killed_starts_again() {
    let home = Home::new();
    let unfinished = home.path().join("data.new");
    fs::create_dir_all(unfinished.join("base/1")).unwrap();
    fs::write(unfinished.join("base/1/112"), "half").unwrap();
    fs::write(unfinished.join("PG_VERSION"), "18\n").unwrap();
    let server = home.attach().await;
    assert_eq!(ask(&server, "SELECT 'whole'").await, "whole");
    assert!(!unfinished.exists());
    server.release().await.unwrap();
}

#[tokio::test]
async fn a_cluster_of_another_major_version_is_refused() {
    let home = Home::new();
    home.make_cluster().await;
    let path = home.data().join("PG_VERSION");
    let carried = fs::read_to_string(&path).unwrap();
    fs::write(&path, "9\n").unwrap();
    let expected = format!(
        "The data folder {} was created by PostgreSQL 9; this Docket contains PostgreSQL {}. Start \
         it with the Docket that created it and move the data with a backup, or choose another \
         data folder.",
        home.data().display(),
        carried.trim(),
    );
    assert_eq!(home.refusal().await, expected);
}

#[tokio::test]
async fn a_broken_cluster_is_reported_in_the_words_of_postgresql() {
    let home = Home::new();
    home.make_cluster().await;
    fs::remove_file(home.data().join("global/pg_control")).unwrap();
    let sentence = home.refusal().await;
    assert!(sentence.starts_with("PostgreSQL did not start: "), "{sentence}");
    assert!(sentence.contains("pg_control"), "{sentence}");
    assert!(sentence.ends_with("postgres/server.log)."), "{sentence}");
}

#[tokio::test]
async fn a_folder_with_a_path_too_long_for_a_socket_works() {
    let home = Home::new();
    let folder = home.path().join("a".repeat(100)).join("b".repeat(100));
    let server = PrivateServer::start_or_attach(settings(&folder)).await.unwrap();
    assert_eq!(ask(&server, "SELECT 'far'").await, "far");
    server.release().await.unwrap();
}

#[tokio::test]
async fn root_never_runs_the_server_and_its_folder_may_be_closed_to_others() {
    if !needs_root() {
        return;
    }
    let home = Home::new();
    let closed = home.folder.path().join("closed");
    DirBuilder::new().mode(0o700).create(&closed).unwrap();
    let folder = closed.join("postgres");
    let server = PrivateServer::start_or_attach(settings(&folder)).await.unwrap();
    let process = fs::read_to_string(format!("/proc/{}/status", server.postmaster_pid())).unwrap();
    let line = |name: &str| process.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
    assert!(line("Uid:").split_whitespace().skip(1).all(|uid| uid != "0"), "{}", line("Uid:"));
    assert!(line("Gid:").split_whitespace().skip(1).all(|gid| gid != "0"), "{}", line("Gid:"));
    assert_eq!(line("Groups:").trim(), "Groups:");
    server.release().await.unwrap();
}

#[tokio::test]
async fn an_unknown_user_to_run_as_is_named() {
    if !needs_root() {
        return;
    }
    let home = Home::new();
    for name in ["no-such-user", "root"] {
        let mut settings = settings(&home.path());
        settings.run_as = name.to_owned();
        let error = PrivateServer::start_or_attach(settings).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "PostgreSQL does not run as root, and there is no unprivileged user {name:?} to \
                 run it as. Name an existing one."
            ),
        );
    }
}

#[tokio::test]
async fn a_user_that_other_programs_run_as_is_refused() {
    if !needs_root() {
        return;
    }
    let home = Home::new();
    for name in ["nobody", "65534"] {
        let mut settings = settings(&home.path());
        settings.run_as = name.to_owned();
        let error = PrivateServer::start_or_attach(settings).await.unwrap_err();
        assert!(error.to_string().starts_with("PostgreSQL must not run as"), "{error}");
    }
}

#[tokio::test]
async fn a_folder_without_permission_is_named() {
    if geteuid().is_root() {
        println!("skipped: root has every permission");
        return;
    }
    let home = Home::new();
    DirBuilder::new().mode(0o500).create(home.path()).unwrap();
    assert_not_writable(&home).await;
}

#[tokio::test]
async fn a_read_only_folder_is_named() {
    let home = Home::new();
    let Some(_disk) = home.on_a_disk("ro") else {
        return;
    };
    assert_not_writable(&home).await;
}

async fn assert_not_writable(home: &Home) {
    let expected = format!(
        "Docket may not write to {}. Choose another data folder, or make this one writable for the \
         user that runs Docket.",
        home.path().join("start.lock").display()
    );
    assert_eq!(home.refusal().await, expected);
}

#[tokio::test]
async fn a_disk_without_space_for_a_cluster_is_refused() {
    let home = Home::new();
    let Some(_disk) = home.on_a_disk("size=100m") else {
        return;
    };
    let expected = format!(
        "The disk that holds {} is full (100 MB free). Free at least 128 MB and start Docket \
         again.",
        home.path().display()
    );
    assert_eq!(home.refusal().await, expected);
}

#[tokio::test]
async fn a_disk_that_filled_up_is_named_and_the_server_starts_once_it_is_freed() {
    let home = Home::new();
    let Some(_disk) = home.on_a_disk("size=160m") else {
        return;
    };
    home.make_cluster().await;
    let ballast = home.path().join("ballast");
    fs::write(&ballast, vec![0; 160 << 20]).expect_err("the disk is smaller");
    let sentence = home.refusal().await;
    assert!(sentence.contains("is full (0 MB free). Free at least 16 MB"), "{sentence}");
    fs::remove_file(ballast).unwrap();
    home.attach().await.release().await.unwrap();
}
