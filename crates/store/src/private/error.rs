//! Errors of the private server, each with a message for the operator.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why the private server could not be started, attached to or stopped.
#[derive(Debug, Error)]
pub enum PrivateServerError {
    /// There is too little space to create or to run a cluster.
    #[error(
        "The disk that holds {} is full ({free_mb} MB free). Free at least {needed_mb} MB and \
         start Docket again.",
        folder.display()
    )]
    DiskFull { folder: PathBuf, free_mb: u64, needed_mb: u64 },

    /// The folder, or a file in it, is not writable.
    #[error(
        "Docket may not write to {}. Choose another data folder, or make this one writable for \
         the user that runs Docket.",
        path.display()
    )]
    NotWritable { path: PathBuf, source: io::Error },

    /// The cluster belongs to another user than the one that PostgreSQL runs as.
    #[error(
        "PostgreSQL's files in {} belong to {owner}, and PostgreSQL runs as {user}. Give them to that \
         user: chown -R {user} {}",
        data.display(), data.display()
    )]
    OwnedByAnother { data: PathBuf, owner: String, user: String, source: Option<io::Error> },

    /// Another major version of PostgreSQL created the cluster.
    #[error(
        "The data folder {} was created by PostgreSQL {found}; this Docket contains PostgreSQL \
         {carried}. Start it with the Docket that created it and move the data with a backup, \
         or choose another data folder.",
        data.display()
    )]
    OtherMajorVersion { data: PathBuf, found: String, carried: String },

    /// Neither the binary nor the machine has PostgreSQL.
    #[error(
        "This Docket was built without PostgreSQL and none was found on the PATH. Install \
         PostgreSQL with pgvector, or name a database with --database-url."
    )]
    NoPrograms,

    /// The machine's PostgreSQL must reach its data by path, which it cannot when Docket runs as root.
    #[error(
        "The PostgreSQL in {} is version {found}; with Docket run by root it must be 16 or newer. \
         Install a newer one, run Docket as an ordinary user, or name a database with \
         --database-url.",
        programs.display()
    )]
    TooOldForRoot { programs: PathBuf, found: String },

    /// A program of PostgreSQL exists but cannot be run.
    #[error(
        "PostgreSQL's program {} cannot be run. The user that runs the database must be able to \
         reach it, and its disk must allow programs.",
        program.display()
    )]
    ProgramUnusable { program: PathBuf, source: io::Error },

    /// The user to run PostgreSQL as does not exist, or is root.
    #[error(
        "PostgreSQL does not run as root, and there is no unprivileged user {name:?} to run it \
         as. Name an existing one."
    )]
    NoSuchUser { name: String },

    /// Other programs run as the user to run PostgreSQL as.
    #[error(
        "PostgreSQL must not run as {name}, which other programs run as too: they could read and \
         change every document. Set postgres_user to docket, or to another account of its own."
    )]
    SharedUser { name: String },

    /// Docket is root, its account does not exist, and it cannot be created.
    #[error(
        "PostgreSQL does not run as root, and the system account {name:?} to run it as could not be \
         created. Create it (useradd --system {name}), name another account that no program uses \
         with postgres_user, or run Docket as an ordinary user."
    )]
    NoAccount { name: String },

    /// The user that runs Docket has no name, which PostgreSQL needs.
    #[error(
        "The user that runs Docket (number {uid}) has no name on this machine, and PostgreSQL accepts no \
         user without one. Add it to /etc/passwd, or name a database with --database-url."
    )]
    NamelessUser { uid: u32 },

    /// Another process has been starting or stopping the server for too long.
    #[error(
        "Another Docket has held {} for {seconds} seconds. Stop that process, then start again.",
        lock.display()
    )]
    Busy { lock: PathBuf, seconds: u64 },

    /// A server in another container uses the folder.
    #[error(
        "The data folder {} is in use by a PostgreSQL server outside this container. Stop it, or \
         choose another data folder.",
        data.display()
    )]
    UsedElsewhere { data: PathBuf },

    /// PostgreSQL did not start; its log has the reason.
    #[error("PostgreSQL did not start: {said} (more in {}).", log.display())]
    DidNotStart { said: String, log: PathBuf },

    /// The server is still starting.
    #[error(
        "PostgreSQL was not ready after {seconds} seconds and is still starting; see {}, and start \
         Docket again later.",
        log.display()
    )]
    NotReady { seconds: u64, log: PathBuf },

    /// The server ignored every request to stop.
    #[error("PostgreSQL (process {pid}) does not stop; see {}.", log.display())]
    DidNotStop { pid: u32, log: PathBuf },

    /// An unexpected error of the operating system.
    #[error("Docket could not {attempt} {}.", path.display())]
    Machine { attempt: &'static str, path: PathBuf, source: io::Error },
}

pub(super) type Result<T> = std::result::Result<T, PrivateServerError>;

/// Adds the attempted operation and the path to an error.
pub(super) trait Attempt<T> {
    fn attempt(self, attempt: &'static str, path: &Path) -> Result<T>;
}

impl<T, E: Into<io::Error>> Attempt<T> for std::result::Result<T, E> {
    fn attempt(self, attempt: &'static str, path: &Path) -> Result<T> {
        self.map_err(|error| PrivateServerError::from_io(error.into(), attempt, path))
    }
}

impl PrivateServerError {
    pub(super) fn from_io(source: io::Error, attempt: &'static str, path: &Path) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Self::NotWritable { path, source }
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                super::disk::full(&path, super::disk::NEEDED_TO_START)
            }
            _ => Self::Machine { attempt, path, source },
        }
    }
}
