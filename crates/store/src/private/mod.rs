//! The private PostgreSQL server, which Docket bundles, starts and supervises.
//!
//! - **programs**: `postgres` and `initdb`, from the bundle in the binary or from the machine
//!   (`programs.rs`).
//! - **cluster**: the files of all databases, created once by `initdb` (`cluster.rs`).
//! - **server**: the process that serves a cluster (`server.rs`). It does not depend on the Docket that started it: a
//!   killed Docket leaves an *orphan*, which the next one uses.
//! - **attached**: a Docket that uses the server. Any number may be attached; the last one to detach stops the server
//!   (`locks.rs`).
//! - **watchdog**: a process that stops an orphan which no Docket uses for a while (`watchdog.rs`).
//! - **supervisor**: the task that restarts the server when it dies (`supervisor.rs`).
//!
//! The folder of a private server:
//!
//! ```text
//! data/          the cluster, owned by the user that the server runs as; the socket is in it
//! data.new/      a cluster that is being created
//! programs/      the unpacked bundle, unless Docket runs as root
//! server.log     the log of PostgreSQL
//! start.lock     held while a process creates the cluster, or starts or stops the server
//! users.lock     held by every attached process
//! ```
//!
//! There is no network and no password. The server accepts the user that runs Docket, as the kernel reports it, and root
//! (`admission.rs`). When Docket runs as root, it runs the server as a dedicated account (`account.rs`).

mod account;
mod admission;
mod bundle;
mod cluster;
mod disk;
mod error;
mod locks;
mod log;
mod ownership;
mod pid_file;
mod process;
mod programs;
mod server;
mod server_probe;
mod supervisor;
mod watchdog;

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

pub use self::account::{ForeignOwner, foreign_owner};
use self::cluster::Cluster;
pub use self::error::PrivateServerError;
use self::error::{Attempt, Result};
use self::locks::{StartLock, UsersLock};
use self::log::ServerLog;
use self::process::Process;
use self::programs::Programs;
use self::server::Server;
use self::watchdog::Watchdog;
pub use self::watchdog::{WatchdogCommand, Watched, watch};

/// The superuser that `initdb` creates.
const SUPERUSER: &str = "docket";
/// Clients find it in [`PrivateServer::socket_dir`] by the default port; no port is opened.
const SOCKET: &str = ".s.PGSQL.5432";

/// How to run the private server.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The folder of the server. Created if it is missing.
    pub folder: PathBuf,
    /// The user, by name or number, that owns the cluster and runs its server when Docket is root.
    /// No other program should run as this user. The default, `docket`, is created when it is
    /// missing.
    pub run_as: String,
    /// Whether a commit survives a power cut.
    pub durability: Durability,
    /// Where to unpack the programs: by default into `folder`, or as root into `/var/lib/docket`.
    /// For root it must be a place that `run_as` can reach.
    pub programs_folder: Option<PathBuf>,
    /// The watchdog that stops the server when this process is killed and no other uses it; `None`: no watchdog.
    pub watchdog: Option<WatchdogCommand>,
    /// For tests: whether roles that they create may log in with a password.
    pub password_logins: bool,
}

impl Settings {
    /// The settings for production, with everything in `folder`.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            run_as: account::OWN_ACCOUNT.to_owned(),
            durability: Durability::Full,
            programs_folder: None,
            watchdog: None,
            password_logins: false,
        }
    }
}

/// Whether the server waits for the disk. The setting of the Docket that starts the server applies, not that of those
/// that attach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// A commit is on the disk when it is acknowledged.
    Full,
    /// Faster, and a power cut destroys the cluster.
    OffForTests,
}

/// The result of detaching from the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Released {
    /// No other process used it: it was stopped.
    Stopped,
    /// Other processes still use it.
    StillUsedByOthers,
}

/// A private server that this process is attached to.
///
/// Detach with [`release`](Self::release). When it is only dropped, the server keeps running for the next process, until
/// the watchdog stops it.
#[derive(Debug)]
pub struct PrivateServer {
    shared: Arc<Shared>,
    socket_dir: PathBuf,
    users: UsersLock,
    supervisor: JoinHandle<()>,
    stop_supervisor: DropGuard,
    watchdog: Option<Watchdog>,
}

/// Shared by the supervisor and the owner.
#[derive(Debug)]
struct Shared {
    folder: PathBuf,
    server: Server,
    postmaster: AtomicU32,
}

impl PrivateServer {
    /// Attaches to the server of `settings.folder`. Creates the cluster and starts the server if needed, waits until it is
    /// ready, and from then on restarts it whenever it dies.
    pub async fn start_or_attach(mut settings: Settings) -> Result<Self> {
        let given = &settings.folder;
        settings.folder = std::path::absolute(given).attempt("find", given)?;
        make_private_folder(&settings.folder)?;
        let start = StartLock::take(&settings.folder).await?;
        // Before the server starts, so that a Docket that is killed from here on leaves no server running for ever.
        let watchdog = settings.watchdog.as_ref().and_then(|command| {
            let log = ServerLog::in_folder(&settings.folder);
            Watchdog::start(command, &settings.folder, &log)
        });
        let server = open_server(&settings, &start).await?;
        let users = UsersLock::join(&settings.folder, &start).await?;
        let process = server.ensure_running(&start).await?;
        drop(start);

        let socket_dir = server.cluster.short_path();
        let postmaster = AtomicU32::new(process.id());
        let shared = Arc::new(Shared { folder: settings.folder, server, postmaster });
        let stop = CancellationToken::new();
        let supervisor = tokio::spawn(supervisor::supervise(shared.clone(), process, stop.clone()));
        let stop_supervisor = stop.drop_guard();
        Ok(Self { shared, socket_dir, users, supervisor, stop_supervisor, watchdog })
    }

    /// The folder of the socket (for port 5432). Its name is short, and valid only in this process
    /// and while `self` lives. There is a database `postgres` to connect to.
    pub fn socket_dir(&self) -> &Path {
        &self.socket_dir
    }

    /// The name of the superuser, who migrates and does nothing else.
    pub fn user(&self) -> &'static str {
        SUPERUSER
    }

    /// The process of the server. It changes when the server is restarted.
    pub fn postmaster_pid(&self) -> u32 {
        self.shared.postmaster.load(Ordering::Relaxed)
    }

    /// Detaches from the server, and stops it if no other process is attached.
    pub async fn release(self) -> Result<Released> {
        let Self { shared, users, supervisor, stop_supervisor, watchdog, .. } = self;
        drop(stop_supervisor);
        if supervisor.await.is_err() {
            tracing::error!("the supervisor of the PostgreSQL server panicked");
        }
        let start = StartLock::take(&shared.folder).await?;
        let released = if users.leave(&start) {
            shared.server.stop(&start).await?;
            Released::Stopped
        } else {
            Released::StillUsedByOthers
        };
        if let Some(watchdog) = watchdog {
            watchdog.release();
        }
        Ok(released)
    }
}

impl Shared {
    fn set_postmaster(&self, process: &Process) {
        self.postmaster.store(process.id(), Ordering::Relaxed);
    }
}

async fn open_server(settings: &Settings, start: &StartLock) -> Result<Server> {
    let programs = locate_programs(settings).await?;
    let log = ServerLog::in_folder(&settings.folder);
    let cluster = Cluster::open_or_make(settings, &programs, &log, start).await?;
    let server = Server { cluster, programs, log, durability: settings.durability };
    server.secure(start).await?;
    Ok(server)
}

async fn locate_programs(settings: &Settings) -> Result<Programs> {
    let Settings { folder, programs_folder, .. } = settings.clone();
    let located = tokio::task::spawn_blocking({
        let folder = folder.clone();
        move || Programs::locate(&folder, programs_folder.as_deref())
    });
    let ended = |_| std::io::Error::other("the search for it was interrupted");
    located.await.map_err(ended).attempt("find PostgreSQL for", &folder)?
}

fn make_private_folder(folder: &Path) -> Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    DirBuilder::new().recursive(true).mode(0o700).create(folder).attempt("make", folder)
}
