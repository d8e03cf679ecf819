//! The command line of `docket-chaos run`.

use clap::{Args, Parser};

/// Docket with stages that only take time, for tests of what happens when processes die.
#[derive(Debug, Parser)]
#[command(name = "docket-chaos", version, max_term_width = 100)]
pub(crate) enum Cli {
    /// Kill processes while documents go in, and check that no document is lost or processed twice.
    ///
    /// Runs a server, workers and a PostgreSQL of its own in a temporary folder. Exits with 1 when a document was lost,
    /// when something happened twice, or when work resumed later than it may.
    Run(Plan),
}

#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Plan {
    /// How many faults there are: processes to kill, and with --faults other faults as well.
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(crate) kills: usize,
    /// How many documents to submit.
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = at_least_one)]
    pub(crate) docs: usize,
    /// How many workers there are.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = at_least_one)]
    pub(crate) workers: usize,
    /// Also restart PostgreSQL, make the object store unavailable for a while, and suspend workers for longer than their lease.
    #[arg(long)]
    pub(crate) faults: bool,
    /// How soon 99 of 100 interrupted jobs must have been resumed.
    #[arg(long, value_name = "SECONDS", default_value_t = 20.0)]
    pub(crate) resume_limit: f64,
    /// The seed that decides which process is killed when; a random one by default, which is shown.
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Keep the folder with the logs and the database.
    #[arg(long)]
    pub(crate) keep: bool,
    /// Print one JSON document instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number @ 1..) => Ok(number),
        _ => Err("give a whole number of at least 1".to_owned()),
    }
}
