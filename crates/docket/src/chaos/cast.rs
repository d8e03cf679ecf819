//! The processes of a chaos run: each is kept running by a task of its own, until it is told to kill or
//! to stop it.

use std::fs::{File, OpenOptions};
use std::io;
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

/// What a process is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Server,
    Worker,
}

/// What all processes of a run share.
#[derive(Clone, Debug)]
pub(super) struct Stage {
    pub(super) program: PathBuf,
    pub(super) folder: PathBuf,
    pub(super) password: String,
    pub(super) pipeline: String,
    pub(super) clock: Arc<dyn Clock>,
    /// Everybody off, at once.
    pub(super) curtain: CancellationToken,
    pub(super) keepers: TaskTracker,
}

impl Stage {
    /// Ends whatever still runs, PostgreSQL last: as long as one of the others lives, it is brought back.
    pub(super) async fn clear(&self) {
        const TO_GO: Duration = Duration::from_secs(10);
        self.curtain.cancel();
        self.keepers.close();
        let gone = async {
            self.keepers.wait().await;
            while let Some(pid) = postmaster(&self.folder) {
                kill_process(pid, Signal::QUIT).ok();
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        timeout(TO_GO, gone).await.ok();
    }
}

/// What a process last said of itself when it was ready: an address, or a worker's id. `None` while it
/// is not.
pub(super) type Ready = watch::Receiver<Option<String>>;

/// A process that was killed.
#[derive(Clone, Debug)]
pub(super) struct Killed {
    pub(super) at: DateTime<Utc>,
    /// The worker's id, when it had got so far as to have one.
    pub(super) worker_id: Option<String>,
}

enum Order {
    Kill(oneshot::Sender<Killed>),
    Stop(oneshot::Sender<()>),
}

/// One process and whoever keeps it running.
#[derive(Debug)]
pub(super) struct Actor {
    orders: mpsc::Sender<Order>,
    pub(super) ready: Ready,
    ended_by_itself: Arc<AtomicUsize>,
}

impl Actor {
    pub(super) fn start(stage: &Stage, part: Part, name: String) -> Self {
        let (orders, received) = mpsc::channel(1);
        let (says, ready) = watch::channel(None);
        let ended_by_itself = Arc::new(AtomicUsize::new(0));
        let keeper = Keeper { stage: stage.clone(), part, name, says: Arc::new(says) };
        stage.keepers.spawn(keeper.keep_running(received, Arc::clone(&ended_by_itself)));
        Self { orders, ready, ended_by_itself }
    }

    /// Waits until it is ready, for a while.
    pub(super) async fn is_ready_within(&mut self, limit: Duration) -> bool {
        matches!(timeout(limit, self.ready.wait_for(Option::is_some)).await, Ok(Ok(_)))
    }

    /// SIGKILL; it is started again at once. `None` when nobody is there to do it.
    pub(super) async fn kill(&self) -> Option<Killed> {
        let (answer, answered) = oneshot::channel();
        self.orders.send(Order::Kill(answer)).await.ok()?;
        answered.await.ok()
    }

    /// SIGTERM, and its end.
    pub(super) async fn stop(&self) {
        let (answer, answered) = oneshot::channel();
        if self.orders.send(Order::Stop(answer)).await.is_ok() {
            answered.await.ok();
        }
    }

    pub(super) fn ended_by_itself(&self) -> usize {
        self.ended_by_itself.load(Ordering::Relaxed)
    }
}

struct Keeper {
    stage: Stage,
    part: Part,
    name: String,
    says: Arc<watch::Sender<Option<String>>>,
}

impl Keeper {
    const BEFORE_ANOTHER_START: Duration = Duration::from_millis(200);
    const TO_STOP: Duration = Duration::from_secs(40);

    async fn keep_running(
        self,
        mut orders: mpsc::Receiver<Order>,
        ended_by_itself: Arc<AtomicUsize>,
    ) {
        loop {
            self.says.send_replace(None);
            let Ok(mut child) = self.spawn() else {
                ended_by_itself.fetch_add(1, Ordering::Relaxed);
                tokio::time::sleep(Self::BEFORE_ANOTHER_START).await;
                if self.stage.curtain.is_cancelled() {
                    return;
                }
                // With nobody there, what was ordered is done.
                match orders.try_recv() {
                    Ok(Order::Stop(answer)) => return answer.send(()).unwrap_or(()),
                    Err(mpsc::error::TryRecvError::Disconnected) => return,
                    Ok(Order::Kill(_)) | Err(mpsc::error::TryRecvError::Empty) => continue,
                }
            };
            tokio::select! {
                () = self.stage.curtain.cancelled() => {
                    child.kill().await.ok();
                    return;
                }
                _ = child.wait() => {
                    ended_by_itself.fetch_add(1, Ordering::Relaxed);
                    tokio::time::sleep(Self::BEFORE_ANOTHER_START).await;
                }
                order = orders.recv() => match order {
                    Some(Order::Kill(answer)) => answer.send(self.kill(&mut child).await).unwrap_or(()),
                    Some(Order::Stop(answer)) => {
                        Self::stop(&mut child).await;
                        return answer.send(()).unwrap_or(());
                    }
                    None => return Self::stop(&mut child).await,
                }
            }
        }
    }

    async fn kill(&self, child: &mut Child) -> Killed {
        let worker_id = self.says.borrow().clone();
        let at = self.stage.clock.now();
        // One that has ended by itself this very moment is as dead.
        child.kill().await.ok();
        Killed { at, worker_id: worker_id.filter(|_| self.part == Part::Worker) }
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
        let Stage { program, folder, password, pipeline, .. } = &self.stage;
        let mut command = Command::new(program);
        // Nothing of this process' own settings may reach them.
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("DOCKET_ADMIN_PASSWORD", password)
            .env("DOCKET_PIPELINE", pipeline)
            .env("DOCKET_RATE_LIMIT_PER_SECOND", "1000000")
            .env("DOCKET_RATE_LIMIT_BURST", "1000000");
        match self.part {
            Part::Server => command.args(["serve", "--no-workers", "--listen", "127.0.0.1:0"]),
            Part::Worker => command.arg("worker"),
        };
        let mut child = command
            .args(["--drills", "--data-dir"])
            .arg(folder.join("data"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(self.log()?)
            // A Ctrl-C at the terminal is for us; they are stopped in order.
            .process_group(0)
            .kill_on_drop(true)
            .spawn()?;
        if let Some(stdout) = child.stdout.take() {
            tokio::spawn(listen(stdout, self.part, Arc::clone(&self.says)));
        }
        Ok(child)
    }

    fn log(&self) -> io::Result<File> {
        let file = self.stage.folder.join(format!("{}.log", self.name));
        OpenOptions::new().create(true).append(true).open(file)
    }
}

/// Hears when the process is ready.
async fn listen(stdout: ChildStdout, part: Part, says: Arc<watch::Sender<Option<String>>>) {
    let mut lines = BufReader::new(stdout).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let said = match part {
            Part::Server => line.strip_prefix("Docket is ready at "),
            Part::Worker => {
                line.strip_prefix("Worker ").and_then(|rest| rest.strip_suffix(" is ready"))
            }
        };
        if let Some(said) = said {
            says.send_replace(Some(said.to_owned()));
        }
    }
}

/// The server's address, wherever it is at the moment.
pub(super) fn addresses(mut ready: Ready) -> watch::Receiver<Option<Url>> {
    let (says, heard) = watch::channel(None);
    tokio::spawn(async move {
        loop {
            let address = ready.borrow_and_update().as_deref().and_then(|said| said.parse().ok());
            if address.is_some() {
                says.send_replace(address);
            }
            if ready.changed().await.is_err() {
                return;
            }
        }
    });
    heard
}

/// The private PostgreSQL of the run's folder, when it runs and has got ready.
pub(super) fn ready_postmaster(folder: &Path) -> Option<Pid> {
    let file = std::fs::read_to_string(cluster(folder).join("postmaster.pid")).ok()?;
    let is_ready = file.lines().any(|line| line.trim() == "ready");
    postmaster(folder).filter(|_| is_ready)
}

fn cluster(folder: &Path) -> PathBuf {
    folder.join("data/postgres/data")
}

/// The private PostgreSQL of the run's folder, when it runs. A number that now belongs to somebody else
/// is not it: it works in the folder of its files.
pub(super) fn postmaster(folder: &Path) -> Option<Pid> {
    let cluster = cluster(folder);
    let file = std::fs::read_to_string(cluster.join("postmaster.pid")).ok()?;
    let pid = file.lines().next()?.trim().parse().ok().and_then(pid_of)?;
    let works_in = std::fs::canonicalize(format!("/proc/{}/cwd", pid.as_raw_nonzero())).ok()?;
    (works_in == cluster.canonicalize().ok()?).then_some(pid)
}

fn pid_of(number: u32) -> Option<Pid> {
    i32::try_from(number).ok().and_then(Pid::from_raw)
}
