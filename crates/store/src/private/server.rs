//! Starts the server of a cluster, and applies the current access rules. `server_probe.rs` finds and stops it.

use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Signal, test_kill_process};
use tokio::time::{Instant, sleep, timeout};

use super::Durability;
use super::cluster::Cluster;
use super::error::{Attempt, PrivateServerError, Result};
use super::locks::StartLock;
use super::log::{Ending, Mark, ServerLog};
use super::pid_file::{self, PidFileState};
use super::process::Process;
use super::programs::Programs;
use super::server_probe::{Listener, ServerProbe, ServerState};

/// Recovery after a crash replays up to `max_wal_size` of log, which takes minutes on a slow disk.
const START_LIMIT: Duration = Duration::from_mins(5);
/// How long the child processes of a dead server may take to end.
const LINGER_LIMIT: Duration = Duration::from_secs(20);
/// Each attempt costs a process and two lines of log.
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

/// A server that this process started and that is not ready yet.
#[derive(Debug)]
struct StartingServer {
    process: Process,
    mark: Mark,
    ended: bool,
}

impl Server {
    /// Finds the running server or starts one, and waits until it is ready.
    pub(super) async fn ensure_running(&self, _start: &StartLock) -> Result<Process> {
        let began = Instant::now();
        let mut starting: Option<StartingServer> = None;
        while began.elapsed() < START_LIMIT {
            match (self.state().await?, &mut starting) {
                (ServerState::Ready(process), _) => return Ok(process),
                (ServerState::NotReady(process), _) => {
                    self.pause(&process).await?;
                }
                (ServerState::NotRunning, None) => starting = Some(self.spawn().await?),
                // It has not written its pid file yet.
                (ServerState::NotRunning, Some(new)) if !new.ended => {
                    new.ended = self.pause(&new.process).await?;
                }
                (ServerState::NotRunning, Some(new)) => match self.log.explain(new.mark) {
                    Ending::Retry(_) if began.elapsed() < LINGER_LIMIT => {
                        sleep(LINGER_POLL).await;
                        starting = None;
                    }
                    Ending::Retry(error) | Ending::Failed(error) => return Err(error),
                },
            }
        }
        let (seconds, log) = (START_LIMIT.as_secs(), self.log.path().to_owned());
        Err(PrivateServerError::NotReady { seconds, log })
    }

    /// Applies the current rules to a cluster of an earlier Docket: its files belong to the account that the server runs
    /// as, and only Docket may log in. Other attached processes see the server restart.
    pub(super) async fn secure(&self, start: &StartLock) -> Result<()> {
        if !self.cluster.is_settled()? {
            self.stop(start).await?;
            self.cluster.settle()?;
        }
        if self.cluster.write_admission()?
            && let ServerState::Ready(process) | ServerState::NotReady(process) =
                self.state().await?
        {
            process.signal(Signal::HUP).attempt("reload the server in", self.cluster.data())?;
        }
        Ok(())
    }

    /// Stops the server if it runs, and waits until it has ended.
    pub(super) async fn stop(&self, start: &StartLock) -> Result<()> {
        self.probe().stop(start).await.map(drop)
    }

    fn probe(&self) -> ServerProbe<'_> {
        ServerProbe { data: self.cluster.data(), handle: self.cluster.handle(), log: &self.log }
    }

    async fn state(&self) -> Result<ServerState> {
        self.probe().state().await
    }

    /// Starts a server where none runs.
    async fn spawn(&self) -> Result<StartingServer> {
        let data = self.cluster.data();
        let left = pid_file::read(data).attempt("read the pid file in", data)?;
        self.refuse_if_used_elsewhere(left).await?;
        self.remove_stale_files(left)?;
        let options = options(self.durability);
        let options = options.iter().flat_map(|option| ["-c", option]);
        let (process, mark) = self.cluster.spawn(&self.programs.postgres(), options, &self.log)?;
        Ok(StartingServer { process, mark, ended: false })
    }

    /// A second server on the same files would destroy them, and PostgreSQL's own checks do not see a server in another
    /// container. Its socket shows it.
    async fn refuse_if_used_elsewhere(&self, left: PidFileState) -> Result<()> {
        match (self.probe().listener().await, left) {
            (None, _) => Ok(()),
            // The server is dead, but one of its child processes still has the socket open.
            (Some(Listener::Process(pid)), PidFileState::PidFile(file)) if pid == file.pid => {
                Ok(())
            }
            (Some(_), _) => {
                let data = self.cluster.data().to_owned();
                Err(PrivateServerError::UsedElsewhere { data })
            }
        }
    }

    /// Removes files of a dead server that would stop PostgreSQL from starting: an incomplete pid file, and one whose id
    /// belongs to another process now. A file with the id of a dead process stays, because PostgreSQL uses it to detect
    /// child processes of the dead server.
    fn remove_stale_files(&self, left: PidFileState) -> Result<()> {
        let data = self.cluster.data();
        let is_stale = match left {
            PidFileState::Missing => false,
            PidFileState::Garbage => true,
            PidFileState::PidFile(file) => test_kill_process(file.pid) != Err(Errno::SRCH),
        };
        if is_stale {
            pid_file::remove(data).attempt("remove the pid file in", data)?;
        }
        pid_file::remove_socket_lock(data).attempt("remove the socket's lock in", data)
    }

    /// Waits for a moment, and returns whether `process` ended.
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

/// Little memory, no network, and a log without document data.
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
