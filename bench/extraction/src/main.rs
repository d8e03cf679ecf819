//! How well and how fast fields are extracted: see `bench/README.md`.

mod calibration;
mod corpus;
mod held_out;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

#[derive(Debug, Parser)]
struct Args {
    /// The folder with the corpus.
    #[arg(long, env = "DOCKET_CORPUS")]
    corpus: PathBuf,
    /// Where the pages of the corpus are stored once they were read.
    #[arg(long, env = "DOCKET_BENCH_CACHE", default_value = "target/bench-pages")]
    cache: PathBuf,
    /// The binary that reads documents.
    #[arg(long, default_value = "target/release/docket")]
    docket: PathBuf,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Reads every document of the corpus that extraction is measured on, and stores its pages.
    Read,
    /// Fits the calibration to held-out extractions, and writes the file that Docket ships with.
    Calibrate {
        #[arg(long, default_value = "crates/extraction/calibration/builtin.json")]
        to: PathBuf,
    },
    /// Measures the calibration: split halves, the accepted error rate, reliability.
    Calibration,
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    match args.command {
        Command::Read => corpus::read_all(&args.corpus, &args.cache, &args.docket),
        Command::Calibrate { to } => {
            let (held_out, data) = held_out::read_all(&args.cache)?;
            calibration::calibrate(&held_out, &data, &to)
        }
        Command::Calibration => calibration::measure(&held_out::read_all(&args.cache)?.0),
    }
}
