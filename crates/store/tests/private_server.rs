//! The private PostgreSQL server, with real processes: started, shared, orphaned, killed and
//! broken.
//!
//! Every test has a folder of its own. Those that need root say so and pass without it.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "the helpers of a test may do what a test may"
)]

use std::fs::{self, DirBuilder};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, geteuid, kill_process, test_kill_process};
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions, Connection, PgConnection};
use store::private::{Durability, PrivateServer, PrivateServerError, Released, Settings};
use tempfile::TempDir;

/// Set for the test binary when it plays the Docket that gets killed.
const OWNER_FOLDER: &str = "DOCKET_TEST_OWNER_FOLDER";

struct Home {
    folder: TempDir,
}

impl Home {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("postgres")
    }

    fn data(&self) -> PathBuf {
        self.path().join("data")
    }

    /// Puts the folder on a disk of its own, where that is allowed.
    fn on_a_disk(&self, options: &str) -> Option<Mount> {
        fs::create_dir(self.path()).unwrap();
        needs_root().then(|| Mount::tmpfs(&self.path(), options)).flatten()
    }

    async fn attach(&self) -> PrivateServer {
        self.try_attach().await.unwrap_or_else(|error| panic!("{error} {error:?}"))
    }

    async fn try_attach(&self) -> Result<PrivateServer, PrivateServerError> {
        PrivateServer::start_or_attach(settings(&self.path())).await
    }

    /// A complete cluster without a server.
    async fn make_cluster(&self) {
        let server = self.attach().await;
        assert_eq!(server.release().await.unwrap(), Released::Stopped);
    }

    async fn refusal(&self) -> String {
        match self.try_attach().await {
            Ok(server) => panic!("process {} serves", server.postmaster_pid()),
            Err(error) => error.to_string(),
        }
    }
}

impl Drop for Home {
    /// A failed test must not leave a server behind.
    fn drop(&mut self) {
        if let Some(pid) = pid_in(&self.data())
            && works_in(pid, &self.data())
        {
            kill(pid, Signal::QUIT);
        }
    }
}

fn settings(folder: &Path) -> Settings {
    let mut settings = Settings::new(folder);
    settings.durability = Durability::OffForTests;
    if !geteuid().is_root() {
        // Unpacked once for all tests.
        settings.programs_folder = Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("programs"));
    }
    settings
}

fn pid_in(data: &Path) -> Option<u32> {
    fs::read_to_string(data.join("postmaster.pid")).ok()?.lines().next()?.parse().ok()
}

fn works_in(pid: u32, data: &Path) -> bool {
    let place = |path: &Path| fs::metadata(path).map(|it| (it.dev(), it.ino())).ok();
    let working = place(Path::new(&format!("/proc/{pid}/cwd")));
    working.is_some() && working == place(data)
}

fn raw(pid: u32) -> Pid {
    Pid::from_raw(pid.try_into().unwrap()).unwrap()
}

fn kill(pid: u32, signal: Signal) {
    kill_process(raw(pid), signal).expect("the process is there");
}

fn lives(pid: u32) -> bool {
    test_kill_process(raw(pid)).is_ok()
}

async fn connect(server: &PrivateServer) -> PgConnection {
    let options = PgConnectOptions::new_without_pgpass()
        .socket(server.socket_dir())
        .port(5432)
        .username(server.user())
        .database("postgres");
    options.connect().await.expect("a connection")
}

async fn execute(server: &PrivateServer, sql: &'static str) {
    let mut connection = connect(server).await;
    sqlx::raw_sql(sql).execute(&mut connection).await.expect(sql);
    connection.close().await.expect("a polite end");
}

async fn ask(server: &PrivateServer, sql: &'static str) -> String {
    let mut connection = connect(server).await;
    sqlx::query_scalar(sql).fetch_one(&mut connection).await.expect(sql)
}

/// Waits for something that other processes bring about.
async fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let wait = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let waited = tokio::time::timeout(Duration::from_secs(30), wait).await;
    assert!(waited.is_ok(), "{what}: not within 30 seconds");
}

fn needs_root() -> bool {
    let root = geteuid().is_root();
    if !root {
        println!("skipped: needs root");
    }
    root
}

#[tokio::test]
async fn first_start_makes_a_cluster_that_answers() {
    let home = Home::new();
    let server = home.attach().await;
    let about = "SELECT concat_ws(' ', current_user, current_setting('server_encoding'), \
                 current_setting('TimeZone'), current_setting('listen_addresses') = '')";
    assert_eq!(ask(&server, about).await, "docket UTF8 UTC t");
    assert_eq!(fs::metadata(home.path()).unwrap().mode() & 0o777, 0o700);
    assert_eq!(fs::metadata(home.data()).unwrap().mode() & 0o777, 0o700);
    assert!(!home.path().join("data.new").exists());
    server.release().await.unwrap();
}

#[tokio::test]
async fn text_and_vectors_work_as_the_product_needs_them() {
    let home = Home::new();
    let server = home.attach().await;
    assert_eq!(ask(&server, "SELECT upper('ärger, ωμέγα')").await, "ÄRGER, ΩΜΈΓΑ");
    let stemmed = ask(&server, "SELECT to_tsvector('running documents')::text").await;
    assert_eq!(stemmed, "'document':2 'run':1");
    if cfg!(bundled_postgres) {
        execute(&server, "CREATE EXTENSION vector").await;
        let distance = ask(&server, "SELECT ('[1,2]'::vector <-> '[1,4]'::vector)::text").await;
        assert_eq!(distance, "2");
    }
    server.release().await.unwrap();
}

#[tokio::test]
async fn durability_is_on_unless_a_test_switches_it_off() {
    const ASK: &str = "SELECT concat_ws(' ', current_setting('fsync'), \
                       current_setting('synchronous_commit'), current_setting('full_page_writes'))";
    let home = Home::new();
    let server = home.attach().await;
    assert_eq!(ask(&server, ASK).await, "off off off");
    server.release().await.unwrap();

    let mut durable = settings(&home.path());
    durable.durability = Durability::Full;
    let server = PrivateServer::start_or_attach(durable).await.unwrap();
    assert_eq!(ask(&server, ASK).await, "on on on");
    server.release().await.unwrap();
}

#[tokio::test]
async fn second_user_attaches_and_the_last_one_stops_the_server() {
    let home = Home::new();
    let first = home.attach().await;
    let second = home.attach().await;
    let pid = first.postmaster_pid();
    assert_eq!(second.postmaster_pid(), pid);

    assert_eq!(first.release().await.unwrap(), Released::StillUsedByOthers);
    assert_eq!(ask(&second, "SELECT 'still here'").await, "still here");
    assert_eq!(second.release().await.unwrap(), Released::Stopped);
    assert!(!lives(pid), "the server outlived its last user");
    assert_eq!(pid_in(&home.data()), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn eight_at_once_on_an_empty_folder_share_one_server() {
    let home = Home::new();
    let starting: Vec<_> = (0..8)
        .map(|_| tokio::spawn(PrivateServer::start_or_attach(settings(&home.path()))))
        .collect();
    let mut servers = Vec::new();
    for started in starting {
        servers.push(started.await.unwrap().unwrap());
    }
    let pid = servers[0].postmaster_pid();
    assert!(servers.iter().all(|server| server.postmaster_pid() == pid));

    let leaving: Vec<_> = servers.into_iter().map(|it| tokio::spawn(it.release())).collect();
    let mut stopped = 0;
    for left in leaving {
        stopped += usize::from(left.await.unwrap().unwrap() == Released::Stopped);
    }
    assert_eq!(stopped, 1);
    assert!(!lives(pid));
}

#[tokio::test(flavor = "multi_thread")]
async fn users_that_come_and_go_at_once_never_meet_a_stopped_server() {
    let home = Home::new();
    home.make_cluster().await;
    let visits: Vec<_> = (0..4)
        .map(|_| {
            let folder = home.path();
            tokio::spawn(async move {
                for _ in 0..4 {
                    let server = PrivateServer::start_or_attach(settings(&folder)).await.unwrap();
                    assert_eq!(ask(&server, "SELECT 'open'").await, "open");
                    server.release().await.unwrap();
                }
            })
        })
        .collect();
    for visit in visits {
        visit.await.unwrap();
    }
    assert_eq!(pid_in(&home.data()), None);
}

/// Not a test: the Docket that `an_orphan_is_found_and_used_again` kills.
#[tokio::test]
#[ignore = "run by another test"]
async fn owner() {
    let folder = std::env::var_os(OWNER_FOLDER).expect("run by another test");
    let server = PrivateServer::start_or_attach(settings(Path::new(&folder))).await.unwrap();
    println!("\nserved by {}", server.postmaster_pid());
    std::future::pending::<()>().await;
}

/// Runs [`owner`] in a process of its own until it says that its server is there.
fn start_owner(folder: &Path) -> (Child, u32) {
    let mut owner = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "owner", "--ignored", "--nocapture"])
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

fn kill_and_reap(mut child: Child) {
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
async fn a_killed_server_comes_back_with_what_was_committed() {
    let home = Home::new();
    let mut durable = settings(&home.path());
    durable.durability = Durability::Full;
    let server = PrivateServer::start_or_attach(durable).await.unwrap();
    execute(&server, "CREATE TABLE kept (word text); INSERT INTO kept VALUES ('committed')").await;

    let killed = server.postmaster_pid();
    kill(killed, Signal::KILL);
    eventually("the minder restarts it", || server.postmaster_pid() != killed).await;
    assert_eq!(ask(&server, "SELECT word FROM kept").await, "committed");
    assert!(!lives(killed), "the dead server was not reaped");
    assert_eq!(server.release().await.unwrap(), Released::Stopped);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_minders_bring_back_one_server() {
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
    eventually("the minder restarts it", || server.postmaster_pid() != killed).await;
    let log = fs::read_to_string(home.path().join("server.log")).unwrap();
    assert!(log.contains("is still in use"), "nothing lingered: {log}");
    drop(lingering);
    assert_eq!(server.release().await.unwrap(), Released::Stopped);
}

#[tokio::test]
async fn the_minder_keeps_trying_until_the_server_can_start() {
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
async fn letting_go_of_a_dead_server_that_cannot_start_does_not_hang() {
    let home = Home::new();
    let server = home.attach().await;
    let killed = server.postmaster_pid();
    fs::remove_file(home.data().join("global/pg_control")).unwrap();
    kill(killed, Signal::KILL);
    eventually("the death is noticed", || !works_in(killed, &home.data())).await;
    let released = tokio::time::timeout(Duration::from_secs(30), server.release()).await;
    assert_eq!(released.expect("in time").unwrap(), Released::Stopped);
}

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
async fn a_torn_pid_file_is_no_obstacle() {
    let home = Home::new();
    leave_pid_file(&home, "").await;
    home.attach().await.release().await.unwrap();
}

#[tokio::test]
async fn a_server_that_listens_but_cannot_be_seen_is_left_alone() {
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

#[tokio::test]
async fn a_first_start_that_was_killed_begins_anew() {
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
        "The data folder {} was made by PostgreSQL 9, this Docket carries PostgreSQL {}. Start it \
         with the Docket that made it and move the data over with a backup, or choose another \
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
async fn a_disk_without_room_for_a_cluster_is_refused() {
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

struct Mount(PathBuf);

impl Mount {
    /// Nothing where mounting is not allowed, as for root in a container.
    fn tmpfs(at: &Path, options: &str) -> Option<Self> {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(at);
        if mount.status().is_ok_and(|status| status.success()) {
            return Some(Self(at.to_owned()));
        }
        println!("skipped: needs the right to mount");
        None
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg("--lazy").arg(&self.0).status();
        assert!(
            unmounted.is_ok_and(|status| status.success()),
            "{} is still mounted",
            self.0.display()
        );
    }
}
