//! The processes of a run: a supervising task starts each of them again whenever it ends, and kills, suspends or stops
//! it on request.

use std::fs::{File, OpenOptions};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::Clock;
use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, ChildStdout, Command};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use url::Url;

/// What a process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Server,
    Worker,
}

/// What all processes of a run have in common.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) program: PathBuf,
    pub(crate) folder: PathBuf,
    pub(crate) password: String,
    pub(crate) pipeline: String,
    pub(crate) clock: Arc<dyn Clock>,
    /// Kills all processes at once.
    pub(crate) shutdown: CancellationToken,
    pub(crate) supervisors: TaskTracker,
}

impl Setup {
    /// Kills whatever still runs, PostgreSQL last: any other process would start it again.
    pub(crate) async fn shut_down(&self) {
        const SHUTDOWN_LIMIT: Duration = Duration::from_secs(10);
        self.shutdown.cancel();
        self.supervisors.close();
        let gone = async {
            self.supervisors.wait().await;
            while let Some(pid) = postmaster(&self.folder) {
                kill_process(pid, Signal::QUIT).ok();
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        timeout(SHUTDOWN_LIMIT, gone).await.ok();
    }
}

/// What a process printed when it became ready: an address, or a worker's id. `None` while it is not ready.
pub(crate) type Ready = watch::Receiver<Option<String>>;

/// A process that was killed.
#[derive(Clone, Debug)]
pub(crate) struct Killed {
    pub(crate) at: DateTime<Utc>,
    /// The worker's id, when it had got so far as to have one.
    pub(crate) worker_id: Option<String>,
}

enum Request {
    Kill(oneshot::Sender<Killed>),
    /// SIGSTOP, SIGCONT after this long.
    Suspend(Duration, oneshot::Sender<()>),
    Stop(oneshot::Sender<()>),
}

/// One process and its supervising task.
#[derive(Debug)]
pub(crate) struct Process {
    requests: mpsc::Sender<Request>,
    pub(crate) ready: Ready,
    ended_by_itself: Arc<AtomicUsize>,
}

impl Process {
    pub(crate) fn start(setup: &Setup, role: Role, name: String) -> Self {
        let (requests, received) = mpsc::channel(1);
        let (reports, ready) = watch::channel(None);
        let ended_by_itself = Arc::new(AtomicUsize::new(0));
        let supervisor =
            Supervisor { setup: setup.clone(), role, name, reports: Arc::new(reports) };
        setup.supervisors.spawn(supervisor.keep_running(received, Arc::clone(&ended_by_itself)));
        Self { requests, ready, ended_by_itself }
    }

    /// Waits until it is ready, for a while.
    pub(crate) async fn is_ready_within(&mut self, limit: Duration) -> bool {
        matches!(timeout(limit, self.ready.wait_for(Option::is_some)).await, Ok(Ok(_)))
    }

    /// SIGKILL; it is started again at once. `None` when its supervisor has ended.
    pub(crate) async fn kill(&self) -> Option<Killed> {
        let (answer, answered) = oneshot::channel();
        self.requests.send(Request::Kill(answer)).await.ok()?;
        answered.await.ok()
    }

    /// SIGSTOP for this long, which is longer than a worker's lease: others take its jobs, and what it reports about
    /// them afterwards must be refused. `false` when its supervisor has ended.
    pub(crate) async fn suspend(&self, time: Duration) -> bool {
        let (answer, answered) = oneshot::channel();
        self.requests.send(Request::Suspend(time, answer)).await.is_ok() && answered.await.is_ok()
    }

    /// SIGTERM, and its end.
    pub(crate) async fn stop(&self) {
        let (answer, answered) = oneshot::channel();
        if self.requests.send(Request::Stop(answer)).await.is_ok() {
            answered.await.ok();
        }
    }

    pub(crate) fn ended_by_itself(&self) -> usize {
        self.ended_by_itself.load(Ordering::Relaxed)
    }
}

struct Supervisor {
    setup: Setup,
    role: Role,
    name: String,
    reports: Arc<watch::Sender<Option<String>>>,
}

impl Supervisor {
    const BEFORE_ANOTHER_START: Duration = Duration::from_millis(200);
    const TO_STOP: Duration = Duration::from_secs(40);

    async fn keep_running(
        self,
        mut requests: mpsc::Receiver<Request>,
        ended_by_itself: Arc<AtomicUsize>,
    ) {
        loop {
            self.reports.send_replace(None);
            let Ok(mut child) = self.spawn() else {
                ended_by_itself.fetch_add(1, Ordering::Relaxed);
                tokio::time::sleep(Self::BEFORE_ANOTHER_START).await;
                if self.setup.shutdown.is_cancelled() {
                    return;
                }
                // There is no process: the request is fulfilled.
                match requests.try_recv() {
                    Ok(Request::Stop(answer)) => return answer.send(()).unwrap_or(()),
                    Err(mpsc::error::TryRecvError::Disconnected) => return,
                    Ok(Request::Kill(_) | Request::Suspend(..))
                    | Err(mpsc::error::TryRecvError::Empty) => continue,
                }
            };
            if self.supervise(&mut child, &mut requests, &ended_by_itself).await.is_break() {
                return;
            }
        }
    }

    /// Until the process ends; breaks off when it is not to be started again.
    async fn supervise(
        &self,
        child: &mut Child,
        requests: &mut mpsc::Receiver<Request>,
        ended_by_itself: &AtomicUsize,
    ) -> ControlFlow<()> {
        loop {
            tokio::select! {
                () = self.setup.shutdown.cancelled() => {
                    child.kill().await.ok();
                    return ControlFlow::Break(());
                }
                _ = child.wait() => {
                    ended_by_itself.fetch_add(1, Ordering::Relaxed);
                    tokio::time::sleep(Self::BEFORE_ANOTHER_START).await;
                    return ControlFlow::Continue(());
                }
                request = requests.recv() => match request {
                    Some(Request::Kill(answer)) => {
                        answer.send(self.kill(child).await).ok();
                        return ControlFlow::Continue(());
                    }
                    Some(Request::Suspend(time, answer)) => {
                        self.suspend(child, time).await;
                        answer.send(()).ok();
                    }
                    Some(Request::Stop(answer)) => {
                        Self::stop(child).await;
                        answer.send(()).ok();
                        return ControlFlow::Break(());
                    }
                    None => {
                        Self::stop(child).await;
                        return ControlFlow::Break(());
                    }
                }
            }
        }
    }

    async fn suspend(&self, child: &Child, time: Duration) {
        let Some(pid) = child.id().and_then(pid_of) else { return };
        kill_process(pid, Signal::STOP).ok();
        timeout(time, self.setup.shutdown.cancelled()).await.ok();
        kill_process(pid, Signal::CONT).ok();
    }

    async fn kill(&self, child: &mut Child) -> Killed {
        let worker_id = self.reports.borrow().clone();
        let at = self.setup.clock.now();
        // One that has ended by itself this very moment is as dead.
        child.kill().await.ok();
        Killed { at, worker_id: worker_id.filter(|_| self.role == Role::Worker) }
    }

    async fn stop(child: &mut Child) {
        if let Some(pid) = child.id().and_then(pid_of) {
            kill_process(pid, Signal::TERM).ok();
        }
        if timeout(Self::TO_STOP, child.wait()).await.is_err() {
            child.kill().await.ok();
        }
    }

    fn spawn(&self) -> io::Result<Child> {
        let Setup { program, folder, password, pipeline, .. } = &self.setup;
        let mut command = Command::new(program);
        // The settings of this process must not reach them.
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("DOCKET_ADMIN_PASSWORD", password)
            .env("DOCKET_PIPELINE", pipeline)
            .env("DOCKET_RATE_LIMIT_PER_SECOND", "1000000")
            .env("DOCKET_RATE_LIMIT_BURST", "1000000");
        match self.role {
            Role::Server => command.args(["serve", "--no-workers", "--listen", "127.0.0.1:0"]),
            Role::Worker => command.arg("worker"),
        };
        let mut child = command
            .arg("--data-dir")
            .arg(folder.join("data"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(self.log()?)
            // A Ctrl-C at the terminal is for us; they are stopped in order.
            .process_group(0)
            .kill_on_drop(true)
            .spawn()?;
        if let Some(stdout) = child.stdout.take() {
            tokio::spawn(follow_output(stdout, self.role, Arc::clone(&self.reports)));
        }
        Ok(child)
    }

    fn log(&self) -> io::Result<File> {
        let file = self.setup.folder.join(format!("{}.log", self.name));
        OpenOptions::new().create(true).append(true).open(file)
    }
}

/// Reads from the output when the process is ready.
async fn follow_output(
    stdout: ChildStdout,
    role: Role,
    reports: Arc<watch::Sender<Option<String>>>,
) {
    let mut lines = BufReader::new(stdout).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let said = match role {
            Role::Server => line.strip_prefix("Docket is ready at "),
            Role::Worker => {
                line.strip_prefix("Worker ").and_then(|rest| rest.strip_suffix(" is ready"))
            }
        };
        if let Some(said) = said {
            reports.send_replace(Some(said.to_owned()));
        }
    }
}

/// The server's address, wherever it is at the moment.
pub(crate) fn addresses(mut ready: Ready) -> watch::Receiver<Option<Url>> {
    let (reports, received) = watch::channel(None);
    tokio::spawn(async move {
        loop {
            let address = ready.borrow_and_update().as_deref().and_then(|said| said.parse().ok());
            if address.is_some() {
                reports.send_replace(address);
            }
            if ready.changed().await.is_err() {
                return;
            }
        }
    });
    received
}

/// The private PostgreSQL of the run's folder, when it runs and has got ready.
pub(crate) fn ready_postmaster(folder: &Path) -> Option<Pid> {
    let file = std::fs::read_to_string(cluster(folder).join("postmaster.pid")).ok()?;
    let is_ready = file.lines().any(|line| line.trim() == "ready");
    postmaster(folder).filter(|_| is_ready)
}

fn cluster(folder: &Path) -> PathBuf {
    folder.join("data/postgres/data")
}

/// The private PostgreSQL of the run's folder, when it runs. A number that now belongs to somebody else
/// is not it: it works in the folder of its files.
pub(crate) fn postmaster(folder: &Path) -> Option<Pid> {
    let cluster = cluster(folder);
    let file = std::fs::read_to_string(cluster.join("postmaster.pid")).ok()?;
    let pid = file.lines().next()?.trim().parse().ok().and_then(pid_of)?;
    let works_in = std::fs::canonicalize(format!("/proc/{}/cwd", pid.as_raw_nonzero())).ok()?;
    (works_in == cluster.canonicalize().ok()?).then_some(pid)
}

fn pid_of(number: u32) -> Option<Pid> {
    i32::try_from(number).ok().and_then(Pid::from_raw)
}
