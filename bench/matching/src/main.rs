//! How well and how fast records are matched: see `bench/README.md`.

mod corpus;
mod febrl;
mod fodors_zagats;
mod linkage;
mod names;
mod peers;
mod score;
mod speed;
mod transactions;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

#[derive(Debug, Parser)]
struct Args {
    /// The folder with the corpus; its folder `matching` is used.
    #[arg(long, env = "DOCKET_CORPUS")]
    corpus: Option<PathBuf>,
    /// Everything by default.
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Everything but the comparison with peers.
    All,
    /// Pairs of names, by five-fold cross-validation.
    Names {
        /// Print every pair that is judged wrongly.
        #[arg(long)]
        errors: bool,
    },
    /// Fits the weights of names to all pairs, and writes them.
    FitNames {
        #[arg(long, default_value = "crates/matching/src/names/weights.rs")]
        to: PathBuf,
    },
    /// Duplicates among people.
    Febrl,
    /// Restaurants of two guides, by their own split.
    FodorsZagats {
        /// Print every pair that is judged wrongly.
        #[arg(long)]
        errors: bool,
    },
    /// Payments and their receipts.
    Transactions,
    /// CPU time of keys and comparisons, and the work of a search among many records.
    Speed {
        /// Synthetic records of the search.
        #[arg(long, default_value_t = 200_000)]
        records: usize,
    },
    /// Splink and rapidfuzz on the same pairs, in this run.
    Peers {
        /// The python of `scripts/python-tool splink python`.
        #[arg(long, default_value = "splink-python")]
        python: PathBuf,
    },
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let corpus = corpus::Corpus::open(args.corpus);
    match args.command.unwrap_or(Command::All) {
        Command::All => {
            names::run(&corpus, false)?;
            febrl::run(&corpus)?;
            fodors_zagats::run(&corpus, false)?;
            transactions::run(&corpus)?;
            speed::run(&corpus, 200_000)
        }
        Command::Names { errors } => names::run(&corpus, errors),
        Command::FitNames { to } => names::fit(&corpus, &to),
        Command::Febrl => febrl::run(&corpus),
        Command::FodorsZagats { errors } => fodors_zagats::run(&corpus, errors),
        Command::Transactions => transactions::run(&corpus),
        Command::Speed { records } => speed::run(&corpus, records),
        Command::Peers { python } => peers::run(&corpus, &python),
    }
}
