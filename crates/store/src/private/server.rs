//! Starting the server of a cluster, and bringing it under today's rules. `finder.rs` finds and stops it.

use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Signal, test_kill_process};
use tokio::time::{Instant, sleep, timeout};

use super::Durability;
use super::cluster::Cluster;
use super::error::{Attempt, PrivateServerError, Result};
use super::finder::{Finder, Listener, Seen};
use super::locks::StartLock;
use super::log::{Ending, Mark, ServerLog};
use super::pid_file::{self, Found};
use super::process::Process;
use super::programs::Programs;

/// Recovery after a crash replays up to `max_wal_size` of log; minutes on a slow disk.
const START_LIMIT: Duration = Duration::from_mins(5);
/// How long the processes of a dead server may take to notice that it is dead.
const LINGER_LIMIT: Duration = Duration::from_secs(20);
/// Each try costs a process and two lines of log.
const LINGER_POLL: Duration = Duration::from_millis(100);
/// A pid file that changes sends no event.
const POLL: Duration = Duration::from_millis(10);

#[derive(Debug)]
pub(super) struct Server {
    pub(super) cluster: Cluster,
    pub(super) programs: Programs,
    pub(super) log: ServerLog,
    pub(super) durability: Durability,
}

/// A server that we started and that is not ready yet.
#[derive(Debug)]
struct Newcomer {
    process: Process,
    mark: Mark,
    ended: bool,
}

impl Server {
    /// Finds the running server or starts one, and waits until it is ready.
    pub(super) async fn ensure_running(&self, _start: &StartLock) -> Result<Process> {
        let began = Instant::now();
        let mut newcomer: Option<Newcomer> = None;
        while began.elapsed() < START_LIMIT {
            match (self.look().await?, &mut newcomer) {
                (Seen::Ready(process), _) => return Ok(process),
                (Seen::NotReady(process), _) => {
                    self.pause(&process).await?;
                }
                (Seen::Nobody, None) => newcomer = Some(self.spawn().await?),
                // It takes a moment until it has written its pid file.
                (Seen::Nobody, Some(new)) if !new.ended => {
                    new.ended = self.pause(&new.process).await?;
                }
                (Seen::Nobody, Some(new)) => match self.log.explain(new.mark) {
                    Ending::InTheWay(_) if began.elapsed() < LINGER_LIMIT => {
                        sleep(LINGER_POLL).await;
                        newcomer = None;
                    }
                    Ending::InTheWay(error) | Ending::Failed(error) => return Err(error),
                },
            }
        }
        let (seconds, log) = (START_LIMIT.as_secs(), self.log.path().to_owned());
        Err(PrivateServerError::NotReady { seconds, log })
    }

    /// Brings a cluster of an earlier Docket under today's rules: its files belong to the account that
    /// the server runs as, and only Docket may log in. Others who use the server see it restart.
    pub(super) async fn secure(&self, start: &StartLock) -> Result<()> {
        if !self.cluster.is_settled()? {
            self.stop(start).await?;
            self.cluster.settle()?;
        }
        if self.cluster.write_admission()?
            && let Seen::Ready(process) | Seen::NotReady(process) = self.look().await?
        {
            process.signal(Signal::HUP).attempt("reload the server in", self.cluster.data())?;
        }
        Ok(())
    }

    /// Stops the server if it runs, and waits until it is gone.
    pub(super) async fn stop(&self, start: &StartLock) -> Result<()> {
        self.finder().stop(start).await.map(drop)
    }

    fn finder(&self) -> Finder<'_> {
        Finder { data: self.cluster.data(), handle: self.cluster.handle(), log: &self.log }
    }

    async fn look(&self) -> Result<Seen> {
        self.finder().look().await
    }

    /// Starts a server where none runs.
    async fn spawn(&self) -> Result<Newcomer> {
        let data = self.cluster.data();
        let left = pid_file::read(data).attempt("read the pid file in", data)?;
        self.refuse_if_used_elsewhere(left).await?;
        self.clear_the_way(left)?;
        let options = options(self.durability);
        let options = options.iter().flat_map(|option| ["-c", option]);
        let (process, mark) = self.cluster.spawn(&self.programs.postgres(), options, &self.log)?;
        Ok(Newcomer { process, mark, ended: false })
    }

    /// A second server on the same files would destroy them, and PostgreSQL's own safeguards do not
    /// reach into another container. The socket does.
    async fn refuse_if_used_elsewhere(&self, left: Found) -> Result<()> {
        match (self.finder().listener().await, left) {
            (None, _) => Ok(()),
            // Dead; a process that it had just made still has its socket open.
            (Some(Listener::Process(pid)), Found::PidFile(file)) if pid == file.pid => Ok(()),
            (Some(_), _) => {
                let data = self.cluster.data().to_owned();
                Err(PrivateServerError::UsedElsewhere { data })
            }
        }
    }

    /// Removes what a dead server left and PostgreSQL itself would stumble over: a torn pid file,
    /// and one whose number meanwhile belongs to somebody else. It recognises the number of a dead
    /// process, and learns from that file whether processes of the dead server still linger: such a
    /// file stays.
    fn clear_the_way(&self, left: Found) -> Result<()> {
        let data = self.cluster.data();
        let in_the_way = match left {
            Found::Nothing => false,
            Found::Garbage => true,
            Found::PidFile(file) => test_kill_process(file.pid) != Err(Errno::SRCH),
        };
        if in_the_way {
            pid_file::remove(data).attempt("remove the pid file in", data)?;
        }
        pid_file::remove_socket_lock(data).attempt("remove the socket's lock in", data)
    }

    /// Lets a moment pass, and says whether `process` ended in it.
    async fn pause(&self, process: &Process) -> Result<bool> {
        match timeout(POLL, process.exited()).await {
            Ok(ended) => {
                ended.attempt("wait for the server in", self.cluster.data())?;
                Ok(true)
            }
            Err(_) => Ok(false),
        }
    }
}

/// A small footprint, no network, and a log that says what matters without repeating people's data.
const OPTIONS: &[&str] = &[
    "listen_addresses=",
    "unix_socket_directories=.",
    "unix_socket_permissions=0700",
    "port=5432",
    "cluster_name=docket",
    "max_connections=200",
    "max_logical_replication_workers=0",
    "shared_buffers=128MB",
    "max_wal_size=512MB",
    "random_page_cost=1.1",
    "jit=off",
    "wal_level=replica",
    "timezone=UTC",
    "log_timezone=UTC",
    "lc_messages=C",
    "log_min_messages=warning",
    "log_min_error_statement=panic",
    "log_checkpoints=off",
];

fn options(durability: Durability) -> Vec<&'static str> {
    let durable = match durability {
        Durability::Full => ["fsync=on", "synchronous_commit=on", "full_page_writes=on"],
        Durability::OffForTests => ["fsync=off", "synchronous_commit=off", "full_page_writes=off"],
    };
    [OPTIONS, &durable].concat()
}
