//! Who may log in to the private server, and who owns its files.

use std::fs;
use std::os::unix::fs::{MetadataExt, lchown};
use std::path::{Path, PathBuf};

use rustix::process::{Gid, Uid};
use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};
use sqlx::postgres::{PgConnectOptions, PgSslMode};
use sqlx::{ConnectOptions, Connection};
use store::private::PrivateServer;

use crate::home::{Home, ask, eventually, execute, needs_root};

const NOBODY: u32 = 65534;
/// A user and group of the machine, by number.
type User = (u32, u32);
const LOGINS: [&str; 4] = ["docket", "docket_app", "docket_system", "docket_backup"];

/// Logs in as another user of the machine, from a thread that becomes that user. The way into the server's
/// folder is the one that its working folder opens to its own user, whatever the folders above allow.
fn log_in(user: User, server: &PrivateServer, login: &'static str) -> Result<(), sqlx::Error> {
    let socket = PathBuf::from(format!("/proc/{}/cwd", server.postmaster_pid()));
    let thread = std::thread::spawn(move || {
        let (user, group) = (Uid::from_raw(user.0), Gid::from_raw(user.1));
        set_thread_groups(&[]).unwrap();
        set_thread_res_gid(group, group, group).unwrap();
        set_thread_res_uid(user, user, user).unwrap();
        let options = PgConnectOptions::new_without_pgpass()
            .socket(socket)
            .port(5432)
            .username(login)
            .database("postgres")
            .ssl_mode(PgSslMode::Disable);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async { options.connect().await?.close().await })
    });
    thread.join().expect("the thread ends")
}

fn refusal(user: User, server: &PrivateServer, login: &'static str) -> String {
    match log_in(user, server, login) {
        Ok(()) => panic!("user {user:?} was let in as {login}"),
        Err(error) => error.to_string(),
    }
}

fn owner(path: &Path) -> User {
    let found = fs::symlink_metadata(path).unwrap();
    (found.uid(), found.gid())
}

/// Every file and folder below `path`, and itself.
fn all_below(path: &Path) -> Vec<PathBuf> {
    let mut found = vec![path.to_owned()];
    if fs::symlink_metadata(path).unwrap().is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            found.extend(all_below(&entry.unwrap().path()));
        }
    }
    found
}

#[tokio::test]
async fn only_the_user_of_docket_and_root_may_log_in() {
    if !needs_root() {
        return;
    }
    let home = Home::new();
    let server = home.attach().await;
    log_in((0, 0), &server, "docket").unwrap();
    let account = owner(&home.data());
    assert!(![0, NOBODY].contains(&account.0), "the cluster belongs to {account:?}");
    for login in LOGINS {
        let sentence = refusal((NOBODY, NOBODY), &server, login);
        assert!(sentence.contains("Permission denied"), "{login}: {sentence}");
        // The server's own user can reach the socket, but may not log in.
        let sentence = refusal(account, &server, login);
        let words = ["eer authentication failed", "no pg_hba.conf entry"];
        assert!(words.iter().any(|words| sentence.contains(words)), "{login}: {sentence}");
    }
    server.release().await.unwrap();
}

#[tokio::test]
async fn a_cluster_of_nobody_gets_the_new_owner_with_all_its_files() {
    if !needs_root() {
        return;
    }
    let home = Home::new();
    let server = home.attach().await;
    let account = owner(&home.data());
    execute(&server, "CREATE TABLE kept AS SELECT 'still here' AS text").await;
    server.release().await.unwrap();
    // As an earlier Docket created it.
    for path in all_below(&home.data()) {
        lchown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    }
    fs::write(home.data().join("pg_hba.conf"), "local all all trust\n").unwrap();

    let server = home.attach().await;
    assert_eq!(ask(&server, "SELECT text FROM kept").await, "still here");
    for path in all_below(&home.data()) {
        assert_eq!(owner(&path), account, "{}", path.display());
    }
    let rules = fs::read_to_string(home.data().join("pg_hba.conf")).unwrap();
    assert!(!rules.contains("trust"), "{rules}");
    let sentence = refusal(account, &server, "docket");
    assert!(sentence.contains("eer authentication failed"), "{sentence}");
    server.release().await.unwrap();
}

#[tokio::test]
async fn a_change_of_owner_that_was_interrupted_is_completed() {
    if !needs_root() {
        return;
    }
    let home = Home::new();
    home.make_cluster().await;
    let account = owner(&home.data());
    for path in all_below(&home.data()) {
        lchown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    }
    // The first step of the change.
    lchown(home.data(), Some(account.0), Some(account.1)).unwrap();
    let server = home.attach().await;
    assert_eq!(ask(&server, "SELECT 'whole'").await, "whole");
    assert_eq!(owner(&home.data().join("global/pg_control")), account);
    server.release().await.unwrap();
}

#[tokio::test]
async fn a_hard_link_to_another_users_file_keeps_its_owner() {
    if !needs_root() {
        return;
    }
    let home = Home::new();
    home.make_cluster().await;
    let elsewhere = home.folder.path().join("shadow");
    fs::write(&elsewhere, "root's").unwrap();
    lchown(home.data().join("PG_VERSION"), Some(NOBODY), Some(NOBODY)).unwrap();
    std::os::unix::fs::symlink(&elsewhere, home.data().join("base/link")).unwrap();
    fs::hard_link(&elsewhere, home.data().join("base/planted")).unwrap();
    let sentence = home.refusal().await;
    assert!(sentence.starts_with("Docket could not change the owner of"), "{sentence}");
    assert_eq!(owner(&elsewhere), (0, 0));
    fs::remove_file(home.data().join("base/planted")).unwrap();
    home.make_cluster().await;
    assert_eq!(owner(&elsewhere), (0, 0));
}

#[tokio::test]
async fn a_running_server_reloads_new_rules() {
    if !needs_root() {
        return;
    }
    let home = Home::new();
    let first = home.attach().await;
    let rules = home.data().join("pg_hba.conf");
    fs::write(&rules, "local all all trust\n").unwrap();
    execute(&first, "SELECT pg_reload_conf()").await;
    let account = owner(&home.data());
    eventually("the server trusts", || log_in(account, &first, "docket").is_ok()).await;
    let second = home.attach().await;
    assert_eq!(second.postmaster_pid(), first.postmaster_pid());
    assert!(!fs::read_to_string(&rules).unwrap().contains("trust"));
    // The server reloads its files asynchronously.
    eventually("the server refuses", || log_in(account, &first, "docket").is_err()).await;
    first.release().await.unwrap();
    second.release().await.unwrap();
}
