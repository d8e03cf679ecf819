//! The commands that run Docket, and which database others work on.

use clap::Args;

use crate::config::Flags;

/// Which database a command works on.
#[derive(Debug, Args)]
pub(crate) struct DatabaseArgs {
    /// The folder with Docket's data, ./docket-data by default [env: DOCKET_DATA_DIR].
    #[arg(long, value_name = "DIR")]
    data_dir: Option<String>,
    /// A PostgreSQL server to use instead of Docket's own [env: DOCKET_DATABASE_URL].
    #[arg(long, value_name = "URL")]
    database_url: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    database: DatabaseArgs,
    /// The address to listen on, 127.0.0.1:8080 by default [env: DOCKET_LISTEN].
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
    /// Start no workers: other processes handle the jobs [env: DOCKET_NO_WORKERS].
    #[arg(long)]
    no_workers: bool,
    #[command(flatten)]
    work: WorkArgs,
}

#[derive(Debug, Args)]
pub(crate) struct WorkerArgs {
    #[command(flatten)]
    database: DatabaseArgs,
    /// The address for /metrics and /health; none by default [env: DOCKET_METRICS_LISTEN].
    #[arg(long, value_name = "ADDR")]
    metrics_listen: Option<String>,
    #[command(flatten)]
    work: WorkArgs,
}

#[derive(Debug, Args)]
struct WorkArgs {
    /// The object store for documents, a folder in the data folder by default [env: DOCKET_BLOB_URL].
    #[arg(long, value_name = "URL")]
    blob_url: Option<String>,
    /// How many jobs to run at the same time, 3 by default [env: DOCKET_WORKER_MAX_CONCURRENT_JOBS].
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

/// The options that were given, by the keys of their settings.
pub(super) fn given<const N: usize>(options: [(&'static str, &Option<String>); N]) -> Flags {
    options.into_iter().filter_map(|(key, value)| Some((key, value.clone()?))).collect()
}
