//! How well and how fast fields are extracted: see `bench/README.md`.

mod corpus;
mod e_invoices;

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
    /// Whether electronic invoices are read exactly, and compared with their pages.
    EInvoices,
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    match args.command {
        Command::EInvoices => e_invoices::measure(&args.corpus, &args.cache),
        Command::Read => corpus::read_all(&args.corpus, &args.cache, &args.docket),
    }
}
