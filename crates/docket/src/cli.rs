//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::config::Flags;
use crate::stages::Drills;

/// Takes documents in, reads them, and never loses one.
#[derive(Debug, Parser)]
#[command(name = "docket", version, max_term_width = 100)]
pub(crate) struct Cli {
    /// A file of settings; `docket config` lists every key.
    #[arg(long, global = true, env = "DOCKET_CONFIG", value_name = "FILE", hide_env_values = true)]
    pub(crate) config: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Answer requests and work on documents.
    Serve(ServeArgs),
    /// Work on documents, beside the workers of `docket serve` and elsewhere.
    ///
    /// On SIGTERM or Ctrl-C it finishes what is under way, or hands it back to the others.
    Worker(WorkerArgs),
    /// Bring the database's schema up to date, and exit.
    Migrate(DatabaseArgs),
    /// Print the settings in force and where each came from.
    Config(ServeArgs),
    /// The audit log.
    Audit {
        #[command(subcommand)]
        command: AuditCommand,
    },
    /// The customers whose data is kept apart.
    Tenants {
        #[command(subcommand)]
        command: TenantsCommand,
    },
    /// People, where they cannot help themselves.
    Users {
        #[command(subcommand)]
        command: UsersCommand,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// Check every tenant's chain; names each row that was changed, moved or removed.
    ///
    /// Exits with 1 when there is one.
    Verify {
        #[command(flatten)]
        database: DatabaseArgs,
        /// Print one JSON document instead of text.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum TenantsCommand {
    /// List all tenants.
    List {
        #[command(flatten)]
        database: DatabaseArgs,
        /// Print one JSON document instead of a table.
        #[arg(long)]
        json: bool,
    },
    /// Add a tenant and its first administrator.
    ///
    /// The administrator's password is taken from DOCKET_ADMIN_PASSWORD, else made and printed once.
    Create {
        /// What the tenant is called.
        name: String,
        /// The administrator's email address.
        #[arg(long, value_name = "EMAIL")]
        admin_email: String,
        #[command(flatten)]
        database: DatabaseArgs,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum UsersCommand {
    /// Give a user a new password and sign them out everywhere.
    ///
    /// The password is taken from DOCKET_ADMIN_PASSWORD, else made and printed once.
    ResetPassword {
        /// The user's email address.
        email: String,
        #[command(flatten)]
        database: DatabaseArgs,
    },
}

/// Which database a command works on.
#[derive(Debug, Args)]
pub(crate) struct DatabaseArgs {
    /// The folder with Docket's own data [env: DOCKET_DATA_DIR].
    #[arg(long, value_name = "DIR")]
    data_dir: Option<String>,
    /// A PostgreSQL that somebody else runs [env: DOCKET_DATABASE_URL].
    #[arg(long, value_name = "URL")]
    database_url: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    database: DatabaseArgs,
    /// The address to answer on, 127.0.0.1:8080 by default [env: DOCKET_LISTEN].
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
    /// Where documents are kept [env: DOCKET_BLOB_URL].
    #[arg(long, value_name = "URL")]
    blob_url: Option<String>,
    /// Serve only, and leave the work to other processes [env: DOCKET_NO_WORKERS].
    #[arg(long)]
    no_workers: bool,
    #[command(flatten)]
    work: WorkArgs,
}

#[derive(Debug, Args)]
pub(crate) struct WorkerArgs {
    #[command(flatten)]
    database: DatabaseArgs,
    #[command(flatten)]
    work: WorkArgs,
}

#[derive(Debug, Args)]
struct WorkArgs {
    /// Jobs under way at once, 3 by default [env: DOCKET_WORKER_MAX_CONCURRENT_JOBS].
    #[arg(long, value_name = "N")]
    worker_max_concurrent_jobs: Option<String>,
    /// The stages of `docket chaos`, which only take time.
    #[arg(long, hide = true)]
    drills: bool,
}

impl WorkArgs {
    fn flags(&self) -> Flags {
        given([("worker_max_concurrent_jobs", &self.worker_max_concurrent_jobs)])
    }

    fn drills(&self) -> Drills {
        if self.drills { Drills::Registered } else { Drills::None }
    }
}

impl WorkerArgs {
    pub(crate) fn flags(&self) -> Flags {
        let mut flags = self.database.flags();
        flags.extend(self.work.flags());
        flags
    }

    pub(crate) fn drills(&self) -> Drills {
        self.work.drills()
    }
}

impl DatabaseArgs {
    pub(crate) fn flags(&self) -> Flags {
        given([("data_dir", &self.data_dir), ("database_url", &self.database_url)])
    }
}

impl ServeArgs {
    pub(crate) fn flags(&self) -> Flags {
        let mut flags = self.database.flags();
        flags.extend(given([("listen", &self.listen), ("blob_url", &self.blob_url)]));
        if self.no_workers {
            flags.push(("no_workers", "true".to_owned()));
        }
        flags.extend(self.work.flags());
        flags
    }

    pub(crate) fn drills(&self) -> Drills {
        self.work.drills()
    }
}

fn given<const N: usize>(options: [(&'static str, &Option<String>); N]) -> Flags {
    options.into_iter().filter_map(|(key, value)| Some((key, value.clone()?))).collect()
}
