//! The command line.

mod check;
mod id;
mod jobs;
mod read;
mod search;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use uuid::Uuid;

use crate::commands::watchdog::WatchdogArgs;
use crate::config::Flags;
use id::id;

pub(crate) use check::CheckArgs;
pub(crate) use jobs::{DeadJobsArgs, DiscardArgs, JobsArgs, RequeueArgs};
pub(crate) use read::{ReadArgs, ReadFormat, ReadWorkerArgs};
pub(crate) use search::{AskArgs, SearchArgs, SearchBy, WithinArgs};

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
    /// Compare the object store with the database: what is missing, damaged, or belongs to nothing.
    ///
    /// Reads every object and compares it with its recorded hash. May run while a server does. Exits with 1 when
    /// something is wrong; says for each object what to do.
    Check(CheckArgs),
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
    /// Sign in to a server, for the commands that talk to one.
    ///
    /// The password is taken from DOCKET_PASSWORD, else typed in, else read from standard input. The
    /// token is kept in a file that only you can read.
    Login {
        #[command(flatten)]
        server: ServerArgs,
        /// Who signs in.
        #[arg(long, value_name = "EMAIL", default_value = "admin@localhost")]
        email: String,
    },
    /// End the sign-in.
    Logout,
    /// Change your own password. Your other sessions are signed out; this one stays signed in.
    ///
    /// Docket asks for the current and the new password. Without a terminal it reads them from DOCKET_PASSWORD and
    /// DOCKET_NEW_PASSWORD, or as two lines from standard input.
    Password {
        #[command(flatten)]
        server: ServerArgs,
    },
    /// How a server and its queues stand; exits with 1 when it is not ready.
    Status {
        #[command(flatten)]
        server: ServerArgs,
        /// Print one JSON document instead of a table.
        #[arg(long)]
        json: bool,
    },
    /// Hand documents in: files, folders, patterns, or standard input.
    ///
    /// What was accepted from here before and has not changed is not uploaded again, so a command that
    /// was interrupted goes on when it is repeated. Exits with 1 when a file was refused, or with --wait
    /// when one could not be processed.
    Ingest(IngestArgs),
    /// Read a file of this machine and print what it says; needs no server.
    Read(ReadArgs),
    /// What reading needs, what of it is missing here, and how to get it.
    Doctor {
        /// Print one JSON document instead of text.
        #[arg(long)]
        json: bool,
    },
    /// A child that reads documents. Docket starts it by itself.
    #[command(hide = true)]
    ReadWorker(ReadWorkerArgs),
    /// Stops a private PostgreSQL that nobody uses. Docket starts it by itself.
    #[command(hide = true)]
    PostgresWatchdog(WatchdogArgs),
    /// List documents, newest first.
    Docs(DocsArgs),
    /// A document with its versions, its runs and what became of their stages.
    Show {
        /// The document's id.
        #[arg(value_name = "DOC_ID", value_parser = id)]
        id: Uuid,
        #[command(flatten)]
        server: ServerArgs,
        /// Print one JSON document instead of text.
        #[arg(long)]
        json: bool,
    },
    /// Rename a document. Its file name stays as it is.
    Rename {
        /// The document's id.
        #[arg(value_name = "DOC_ID", value_parser = id)]
        id: Uuid,
        /// The new title.
        title: String,
        #[command(flatten)]
        server: ServerArgs,
    },
    /// Process documents again. What is served stays served until the new run succeeds.
    Rerun(RerunArgs),
    /// Find passages, by words and by meaning; exits with 1 when there are none.
    Search(SearchArgs),
    /// Ask a question; exits with 1 when the documents do not say.
    Ask(AskArgs),
    /// Speak the Model Context Protocol on standard input and output, for assistants.
    ///
    /// What they find and ask is bounded by the sign-in, or by the key in DOCKET_TOKEN.
    Mcp {
        #[command(flatten)]
        server: ServerArgs,
    },
    /// List jobs, newest first.
    Jobs(JobsArgs),
    /// Jobs that were given up and wait for a person.
    Dlq {
        #[command(subcommand)]
        command: DlqCommand,
    },
    /// Passwords of documents and other secrets, which are kept encrypted.
    Secrets {
        #[command(subcommand)]
        command: SecretsCommand,
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
    /// Compares the log with its signed checkpoints too. Exits with 1 when something does not hold.
    Verify {
        /// Checkpoints that were exported and kept elsewhere: whoever could change the database and the
        /// object store could not change these.
        #[arg(long, value_name = "FILE")]
        against: Option<PathBuf>,
        #[command(flatten)]
        database: DatabaseArgs,
        /// Print one JSON document instead of text.
        #[arg(long)]
        json: bool,
    },
    /// Sign checkpoints of all tenants' logs as they stand, and print all there are: one JSON document a line.
    ///
    /// Keep the output where whoever runs the database cannot change it.
    Export {
        #[command(flatten)]
        database: DatabaseArgs,
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
    /// Grant a tenant limits of its own; what is left out is as everybody's.
    Limit {
        /// What the tenant is called.
        name: String,
        /// The largest file it may upload.
        #[arg(long, value_name = "MB")]
        max_upload_mb: Option<u64>,
        /// How many of its documents may wait at once.
        #[arg(long, value_name = "N")]
        queue_quota: Option<u32>,
        /// How many requests it may make.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        requests_per_second: Option<u32>,
        /// How many of its uploads each process takes at once.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        concurrent_uploads: Option<u32>,
        /// How much it may store.
        #[arg(long, value_name = "MB")]
        storage_quota_mb: Option<u64>,
        #[command(flatten)]
        database: DatabaseArgs,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum SecretsCommand {
    /// Encrypt all secrets with a new key.
    ///
    /// May run while servers and workers do, and again after it was interrupted. The key in the data folder is replaced;
    /// with the setting secrets_key, that is the new key and secrets_key_previous the old one.
    Rotate {
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

#[derive(Debug, Subcommand)]
pub(crate) enum DlqCommand {
    /// List dead jobs that need attention, newest first.
    List(DeadJobsArgs),
    /// What happened to a job, and what can be done.
    Show {
        /// The job's id.
        #[arg(value_parser = id)]
        id: Uuid,
        #[command(flatten)]
        server: ServerArgs,
        /// Print one JSON document instead of text.
        #[arg(long)]
        json: bool,
    },
    /// Give dead jobs a fresh start: by their ids, or all that fit the conditions.
    Requeue(RequeueArgs),
    /// Discard failures that nobody means to repair. Their documents stay failed, and can still be rerun.
    Discard(DiscardArgs),
}

/// Which server a command talks to, and as whom.
#[derive(Clone, Debug, Args)]
pub(crate) struct ServerArgs {
    /// The server's address; the one signed in to by default [env: DOCKET_SERVER; DOCKET_TOKEN for a
    /// token or an API key].
    #[arg(long, value_name = "URL")]
    pub(crate) server: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct IngestArgs {
    /// Files, folders (all that is in them, but nothing hidden), patterns such as '*.pdf', or - for
    /// standard input.
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// The file name of what comes from standard input.
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// The title of the document, when it is one; its file name otherwise.
    #[arg(long, value_name = "TEXT", conflicts_with = "batch")]
    pub(crate) title: Option<String>,
    /// A word to sort the documents by; may be repeated.
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// For files that are encrypted.
    #[arg(long, env = "DOCKET_FILE_PASSWORD", hide_env_values = true, value_name = "PASSWORD")]
    pub(crate) password: Option<String>,
    /// Put them all into a new batch of this name. All are uploaded for that.
    #[arg(long, value_name = "NAME")]
    pub(crate) batch: Option<String>,
    /// Wait until all have been processed.
    #[arg(long)]
    pub(crate) wait: bool,
    /// Upload what was handed in before as well.
    #[arg(long)]
    pub(crate) again: bool,
    /// How many to upload at once.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = at_least_one)]
    pub(crate) parallel: usize,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
    /// Print a line of JSON for each file, and one for the summary.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DocsArgs {
    /// Only documents that stand there.
    #[arg(long, default_value = "all", ignore_case = true,
          value_parser = ["all", "uploaded", "processing", "active", "failed", "inactive", "rejected"])]
    pub(crate) status: String,
    /// Only files of this kind (pdf, docx, …).
    #[arg(long = "type", value_name = "KIND")]
    pub(crate) kind: Option<String>,
    /// Only those that came in this way (manual, batch, attachment, …).
    #[arg(long)]
    pub(crate) source: Option<String>,
    /// Only those with this tag.
    #[arg(long)]
    pub(crate) tag: Option<String>,
    /// Only those of this batch.
    #[arg(long, value_name = "BATCH_ID", value_parser = id)]
    pub(crate) batch: Option<Uuid>,
    /// Only those with this in their title or file name.
    #[arg(long, value_name = "TEXT")]
    pub(crate) search: Option<String>,
    /// The order: newest or oldest upload first, by title (A to Z) or title_desc, or updated (latest change first).
    #[arg(long, value_name = "ORDER", default_value = "newest", ignore_case = true,
          value_parser = ["newest", "oldest", "title", "title_desc", "updated"])]
    pub(crate) sort: String,
    /// How many at most.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = at_least_one)]
    pub(crate) limit: usize,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
    /// Print one JSON document instead of a table.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RerunArgs {
    /// The documents' ids.
    #[arg(required = true, value_name = "DOC_ID", value_parser = id)]
    pub(crate) ids: Vec<Uuid>,
    /// Why, for whoever looks at the run later.
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
    /// Begin with this stage, on what the stages before it left the last time.
    #[arg(long, value_name = "STAGE")]
    pub(crate) from: Option<String>,
    /// An updated original of the document, which gets a new version. It must be a file of the same kind.
    #[arg(long, value_name = "FILE", conflicts_with = "from")]
    pub(crate) file: Option<PathBuf>,
    /// For files that are encrypted; the one that was given before when left out.
    #[arg(long, env = "DOCKET_FILE_PASSWORD", hide_env_values = true, value_name = "PASSWORD")]
    pub(crate) password: Option<String>,
    /// Wait until all have been processed.
    #[arg(long)]
    pub(crate) wait: bool,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
    /// Print one JSON document instead of text.
    #[arg(long)]
    pub(crate) json: bool,
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
    /// Where to answer /metrics and /health; nowhere by default [env: DOCKET_METRICS_LISTEN].
    #[arg(long, value_name = "ADDR")]
    metrics_listen: Option<String>,
    #[command(flatten)]
    work: WorkArgs,
}

#[derive(Debug, Args)]
struct WorkArgs {
    /// Where documents are kept [env: DOCKET_BLOB_URL].
    #[arg(long, value_name = "URL")]
    blob_url: Option<String>,
    /// Jobs under way at once, 3 by default [env: DOCKET_WORKER_MAX_CONCURRENT_JOBS].
    #[arg(long, value_name = "N")]
    worker_max_concurrent_jobs: Option<String>,
}

impl WorkArgs {
    fn flags(&self) -> Flags {
        given([
            ("blob_url", &self.blob_url),
            ("worker_max_concurrent_jobs", &self.worker_max_concurrent_jobs),
        ])
    }
}

impl WorkerArgs {
    pub(crate) fn flags(&self) -> Flags {
        let mut flags = self.database.flags();
        flags.extend(given([("metrics_listen", &self.metrics_listen)]));
        flags.extend(self.work.flags());
        flags
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
        flags.extend(given([("listen", &self.listen)]));
        if self.no_workers {
            flags.push(("no_workers", "true".to_owned()));
        }
        flags.extend(self.work.flags());
        flags
    }
}

fn given<const N: usize>(options: [(&'static str, &Option<String>); N]) -> Flags {
    options.into_iter().filter_map(|(key, value)| Some((key, value.clone()?))).collect()
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number @ 1..) => Ok(number),
        _ => Err("write a whole number from 1 on".to_owned()),
    }
}
