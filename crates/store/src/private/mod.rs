//! The private PostgreSQL server: one that Docket carries, starts and minds itself.
//!
//! - **programs**: `postgres` and `initdb`, from the bundle in the binary or from the machine
//!   (`programs.rs`).
//! - **cluster**: the files of all databases, made once by `initdb` (`cluster.rs`).
//! - **server**: the process that serves a cluster (`server.rs`). It is not bound to the Docket
//!   that started it: a killed Docket leaves an *orphan*, which the next one uses.
//! - **attached**: a Docket that uses the server. Any number may be; the last to leave stops the
//!   server (`locks.rs`).
//! - **watchdog**: a process that stops an orphan which no Docket takes up for a while (`watchdog.rs`).
//! - **minder**: the task that brings the server back when it dies (`minder.rs`).
//!
//! The folder of a private server:
//!
//! ```text
//! data/          the cluster, owned by the user that the server runs as; the socket is in it
//! data.new/      a cluster in the making
//! programs/      the unpacked bundle, unless Docket runs as root
//! server.log     what PostgreSQL has to say
//! start.lock     held while somebody makes, starts or stops
//! users.lock     held by everybody who is attached
//! ```
//!
//! There is no network and no password. The server lets in who the kernel says runs Docket, and root
//! (`admission.rs`); as root, Docket runs it as an account that nobody else uses (`account.rs`).

mod account;
mod admission;
mod bundle;
mod cluster;
mod disk;
mod error;
mod finder;
mod locks;
mod log;
mod minder;
mod ownership;
mod pid_file;
mod process;
mod programs;
mod server;
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

/// The superuser that `initdb` makes.
const SUPERUSER: &str = "docket";
/// Clients find it in [`PrivateServer::socket_dir`] by the default port; no port is opened.
const SOCKET: &str = ".s.PGSQL.5432";

/// How the private server is to be run.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where everything lies. Made if it is missing; its parent must be there.
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
    /// What stops the server when this process is killed and nobody else uses it; `None`: nothing.
    pub watchdog: Option<WatchdogCommand>,
    /// For tests: whether other roles, which they make, may log in with a password.
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

/// Whether the server waits for the disk. Counts for the Docket that starts the server, not for
/// those that attach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// A commit is on the disk when it is acknowledged.
    Full,
    /// Faster, and a power cut destroys the cluster.
    OffForTests,
}

/// What became of the server that was let go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Released {
    /// Nobody else used it: it is stopped.
    Stopped,
    /// Other processes go on using it.
    StillUsedByOthers,
}

/// A private server that this process is attached to.
///
/// Let go with [`release`](Self::release). Merely dropped, it leaves the server running for the
/// next one to find, until the watchdog stops it.
#[derive(Debug)]
pub struct PrivateServer {
    shared: Arc<Shared>,
    socket_dir: PathBuf,
    users: UsersLock,
    minder: JoinHandle<()>,
    stop_minding: DropGuard,
    watchdog: Option<Watchdog>,
}

/// What the minder and the owner both need.
#[derive(Debug)]
struct Shared {
    folder: PathBuf,
    server: Server,
    postmaster: AtomicU32,
}

impl PrivateServer {
    /// Attaches to the server of `settings.folder`. Makes the cluster and starts the server as
    /// needed, waits until it is ready, and from then on brings it back whenever it dies.
    pub async fn start_or_attach(mut settings: Settings) -> Result<Self> {
        let given = &settings.folder;
        settings.folder = std::path::absolute(given).attempt("find", given)?;
        make_private_folder(&settings.folder)?;
        let start = StartLock::take(&settings.folder).await?;
        // Before there is a server: a Docket that is killed from here on leaves none behind for ever.
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
        let minder = tokio::spawn(minder::mind(shared.clone(), process, stop.clone()));
        let stop_minding = stop.drop_guard();
        Ok(Self { shared, socket_dir, users, minder, stop_minding, watchdog })
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

    /// The process that serves now. Another one after the server died and was brought back.
    pub fn postmaster_pid(&self) -> u32 {
        self.shared.postmaster.load(Ordering::Relaxed)
    }

    /// Lets go of the server, and stops it if nobody else is attached.
    pub async fn release(self) -> Result<Released> {
        let Self { shared, users, minder, stop_minding, watchdog, .. } = self;
        drop(stop_minding);
        if minder.await.is_err() {
            tracing::error!("the minder of the PostgreSQL server ended in a panic");
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
    fn remember(&self, process: &Process) {
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
    let ended = |_| std::io::Error::other("the search for it did not come to an end");
    located.await.map_err(ended).attempt("find PostgreSQL for", &folder)?
}

fn make_private_folder(folder: &Path) -> Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    DirBuilder::new().recursive(true).mode(0o700).create(folder).attempt("make", folder)
}
