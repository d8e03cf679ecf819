//! How well and how fast fields are extracted: see `bench/README.md`.

mod brokers;
mod calibration;
mod classify;
mod corpus;
mod e_invoices;
mod held_out;
mod invoices;
mod measure;
mod receipts;
mod show;

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
    /// Measures contract notes, each broker with weights that were fitted without its documents.
    Brokers {
        /// Measure instead how much one confirmed document improves the others of its broker.
        #[arg(long)]
        memory: bool,
        /// Measure instead how much right and wrong answers of a language model change the values.
        #[arg(long, conflicts_with_all = ["memory", "errors"])]
        simulated_models: bool,
        /// Choose the constants of layout memory, and print them.
        #[arg(long, requires = "memory")]
        fit: bool,
        /// Print each value that is wrong.
        #[arg(long)]
        errors: bool,
        /// Only documents whose names begin so are printed.
        #[arg(long, default_value = "")]
        only: String,
    },
    /// Fits the weights of contract notes to all brokers, and writes them with the figures of the measurement.
    Fit {
        /// Where the weights are written.
        #[arg(long, default_value = "crates/extraction/weights/contract_note.json")]
        to: PathBuf,
        /// The date of the weights, ISO 8601.
        #[arg(long)]
        date: String,
    },
    /// Measures the fields of photographed receipts.
    Receipts {
        /// Print every wrong value.
        #[arg(long)]
        details: bool,
    },
    /// Measures the header fields and line items of invoices.
    Invoices {
        /// The python of `scripts/python-tool invoice2data python`, for the comparison with it.
        #[arg(long, default_value = "invoice2data-python")]
        peer: PathBuf,
        /// Print every wrong value.
        #[arg(long)]
        details: bool,
    },
    /// Measures which document types are recognised.
    Classify {
        /// Print every document with another type than expected.
        #[arg(long)]
        details: bool,
    },
    /// Prints the stored pages of the documents of a folder whose names contain a text.
    Show { folder: String, name: String },
    /// Fits the calibration to held-out extractions, and writes the file that Docket ships with.
    Calibrate {
        #[arg(long, default_value = "crates/extraction/calibration/builtin.json")]
        to: PathBuf,
    },
    /// Measures the calibration: split halves, the accepted error rate, reliability.
    Calibration {
        /// Print each wrong value that would be accepted.
        #[arg(long)]
        errors: bool,
    },
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    match args.command {
        Command::EInvoices => e_invoices::measure(&args.corpus, &args.cache),
        Command::Show { folder, name } => show::show(&args.corpus, &args.cache, &folder, &name),
        Command::Invoices { peer, details } => {
            invoices::run(&args.corpus, &args.cache, &peer, details)
        }
        Command::Classify { details } => classify::run(&args.corpus, &args.cache, details),
        Command::Receipts { details } => receipts::run(&args.corpus, &args.cache, details),
        Command::Read => corpus::read_all(&args.corpus, &args.cache, &args.docket),
        Command::Brokers { memory, fit, simulated_models, errors, only } => {
            let errors = errors.then_some(only.as_str());
            if simulated_models {
                brokers::simulated_model::measure(&args.corpus, &args.cache)
            } else if fit {
                brokers::memory_fit::fit(&args.corpus, &args.cache)
            } else if memory {
                brokers::memory::measure(&args.corpus, &args.cache, errors)
            } else {
                brokers::measure(&args.corpus, &args.cache, errors)
            }
        }
        Command::Fit { to, date } => brokers::fit(&args.corpus, &args.cache, &to, &date),
        Command::Calibrate { to } => {
            let (held_out, data) = held_out::read_all(&args.cache)?;
            calibration::calibrate(&held_out, &data, &to)
        }
        Command::Calibration { errors } => {
            calibration::measure(&held_out::read_all(&args.cache)?.0, errors)
        }
    }
}
