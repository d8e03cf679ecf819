//! The cluster: the folder `data` with all databases of the private server, created once by `initdb`.
//!
//! A cluster is complete if, and only if, its name is `data`: `initdb` works in `data.new`, which is renamed at the end. A
//! folder `data.new` without a holder of the start lock is left from a first start that was killed.
//!
//! The server's user owns the cluster but cannot always reach it by path, because the folders above belong to Docket. Child
//! processes therefore get it as their working folder, through a file descriptor of Docket, and use `/proc/self/cwd` as
//! their data folder.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::fs::{Mode, OFlags, syncfs};

use super::account::Account;
use super::admission::Admission;
use super::disk;
use super::error::{Attempt, PrivateServerError, Result};
use super::locks::StartLock;
use super::log::{Ending, Mark, ServerLog};
use super::ownership;
use super::process::Process;
use super::programs::Programs;
use super::{Durability, SUPERUSER, Settings};

/// The data folder of a child process.
const OWN_WORKING_FOLDER: &str = "/proc/self/cwd";
/// A killed first start may leave an `initdb` that still creates files while they are deleted.
const REMOVALS: usize = 20;

#[derive(Debug)]
pub(super) struct Cluster {
    data: PathBuf,
    handle: OwnedFd,
    account: Account,
    admission: Admission,
}

impl Cluster {
    /// Opens the cluster; creates it if it does not exist.
    pub(super) async fn open_or_make(
        settings: &Settings,
        programs: &Programs,
        log: &ServerLog,
        _start: &StartLock,
    ) -> Result<Self> {
        let data = settings.folder.join("data");
        let account = Account::for_cluster(&settings.folder, &data, &settings.run_as).await?;
        programs.require_fit_for(account)?;
        if !data.is_dir() {
            disk::require(&settings.folder, disk::NEEDED_FOR_A_CLUSTER)?;
            make(settings, programs, log, account).await?;
        }
        ownership::require_own(&data, account)?;
        require_version(&data, programs.major())?;
        let handle = open_folder(&data)?;
        let admission = Admission::for_owner_of(&settings.folder, settings.password_logins)?;
        Ok(Self { data, handle, account, admission })
    }

    /// Whether the files belong to the account that the server runs as.
    pub(super) fn is_settled(&self) -> Result<bool> {
        ownership::is_settled(&self.data, self.account)
    }

    /// Gives the files to the account that the server runs as. No server may run on them.
    pub(super) fn settle(&self) -> Result<()> {
        ownership::give(&self.data, self.handle.as_fd(), self.account)
    }

    /// Writes the access rules, and returns whether they changed.
    pub(super) fn write_admission(&self) -> Result<bool> {
        self.admission.write(&self.data, self.account)
    }

    pub(super) fn data(&self) -> &Path {
        &self.data
    }

    pub(super) fn handle(&self) -> &OwnedFd {
        &self.handle
    }

    /// The data folder under a name that is valid in this process only, and short: the address of a
    /// socket holds 107 bytes, and the path of a data folder may be longer.
    pub(super) fn short_path(&self) -> PathBuf {
        path_of(&self.handle)
    }

    /// Starts `program` on this cluster.
    pub(super) fn spawn<'a>(
        &self,
        program: &Path,
        options: impl IntoIterator<Item = &'a str>,
        log: &ServerLog,
    ) -> Result<(Process, Mark)> {
        spawn_in(&self.handle, self.account, program, options, log)
    }
}

async fn make(
    settings: &Settings,
    programs: &Programs,
    log: &ServerLog,
    account: Account,
) -> Result<()> {
    let unfinished = settings.folder.join("data.new");
    remove_remains(&unfinished).attempt("remove", &unfinished)?;
    DirBuilder::new().mode(0o700).create(&unfinished).attempt("make", &unfinished)?;
    account.own(&unfinished)?;

    tracing::info!(folder = %settings.folder.display(), "making the PostgreSQL cluster");
    run_initdb(&unfinished, programs, log, account).await?;
    if settings.durability == Durability::Full {
        // Sync the whole file system once: faster than `initdb`, which syncs its thousand files one by one.
        let synced = File::open(&unfinished).and_then(|folder| Ok(syncfs(folder)?));
        synced.attempt("sync", &unfinished)?;
    }

    let data = settings.folder.join("data");
    fs::rename(&unfinished, &data).attempt("make", &data)?;
    File::open(&settings.folder)
        .and_then(|folder| folder.sync_all())
        .attempt("sync", &settings.folder)
}

async fn run_initdb(
    folder: &Path,
    programs: &Programs,
    log: &ServerLog,
    account: Account,
) -> Result<()> {
    let handle = open_folder(folder)?;
    let mut options = vec![
        "--username",
        SUPERUSER,
        "--encoding=UTF8",
        // Until `admission` writes the rules.
        "--auth-local=reject",
        "--auth-host=reject",
        "--text-search-config=english",
        "--no-instructions",
        "--no-sync",
    ];
    options.extend(programs.locale_options());
    let program = programs.initdb();
    let (initdb, mark) = spawn_in(&handle, account, &program, options, log)?;
    match initdb.exited().await.attempt("wait for", &program)? {
        Some(0) => Ok(()),
        _ => match log.explain(mark) {
            Ending::Failed(error) | Ending::Retry(error) => Err(error),
        },
    }
}

/// Starts `program` with `folder` as its data, in a process group of its own so that Ctrl-C does
/// not reach it.
fn spawn_in<'a>(
    folder: &OwnedFd,
    account: Account,
    program: &Path,
    options: impl IntoIterator<Item = &'a str>,
    log: &ServerLog,
) -> Result<(Process, Mark)> {
    let (stderr, mark) = log.open()?;
    let mut command = Command::new(program);
    command
        .args(["-D", OWN_WORKING_FOLDER])
        .args(options)
        // Resolved by the child process, after it has changed its user.
        .current_dir(path_of(folder))
        // Docket's environment has secrets, and PG* variables would change the server.
        .env_clear()
        .env("PATH", std::env::var_os("PATH").as_deref().unwrap_or(OsStr::new("/usr/bin:/bin")))
        .env("LC_ALL", "C")
        .env("TZ", "UTC")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(stderr)
        .process_group(0);
    account.apply(&mut command);
    let unusable =
        |source| PrivateServerError::ProgramUnusable { program: program.to_owned(), source };
    let child = command.spawn().map_err(unusable)?;
    Ok((Process::of_child(&child).map_err(unusable)?, mark))
}

pub(super) fn open_folder(path: &Path) -> Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::empty()).attempt("open", path)
}

pub(super) fn path_of(folder: &OwnedFd) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd()))
}

fn require_version(data: &Path, carried: &str) -> Result<()> {
    let path = data.join("PG_VERSION");
    let text = fs::read_to_string(&path).attempt("read", &path)?;
    if text.trim() == carried {
        return Ok(());
    }
    Err(PrivateServerError::OtherMajorVersion {
        data: data.to_owned(),
        found: text.trim().to_owned(),
        carried: carried.to_owned(),
    })
}

fn remove_remains(path: &Path) -> io::Result<()> {
    let mut attempts = 0;
    loop {
        attempts += 1;
        match fs::remove_dir_all(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) if attempts == REMOVALS => return Err(error),
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {}
            done => return done,
        }
    }
}
