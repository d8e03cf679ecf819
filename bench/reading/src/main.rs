//! Measures how well and how fast Docket reads, on documents whose text is known.
//!
//! `DOCKET_CORPUS` names the folder with the documents. A part whose documents are not there is left
//! out, and the report says so in capital letters.

mod client;
mod eml;
mod hostile;
mod long_scan;
mod ocr_cost;
mod office;
mod pdf;
mod pool;
mod processes;
mod sandbox;
mod scans;
mod score;
mod server;
mod speed;
mod tables;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Parser, ValueEnum};

use crate::score::TokenCounts;

/// Measures how documents are read.
#[derive(Debug, Parser)]
#[command(name = "bench-reading")]
struct Cli {
    /// What to measure; by default everything but `hostile-direct` and `long-scan`, which takes hours.
    #[arg(value_enum)]
    parts: Vec<Part>,
    /// The folder with the documents.
    #[arg(long, env = "DOCKET_CORPUS")]
    corpus: Option<PathBuf>,
    /// One line for each document.
    #[arg(long)]
    each: bool,
    #[command(flatten)]
    hostile: hostile::HostileArgs,
    #[command(flatten)]
    long_scan: long_scan::LongScanArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// How the scores themselves come out on what is known.
    Score,
    /// What it costs to read in a child.
    Pool,
    /// What it costs to read digital PDFs in a child, next to reading them at home.
    Sandbox,
    /// Word, PowerPoint, Excel and HTML against docling's Markdown.
    Office,
    /// Fields of mails.
    Eml,
    /// The words of PDFs, against pdftotext.
    Pdf,
    /// The tables of PDFs.
    Tables,
    /// Pages in a second, against the bare library and other readers.
    Speed,
    /// Pictures of text: each engine, both, and both by policy.
    Scans,
    /// CPU time for scanned pages.
    OcrCost,
    /// Files that mean harm, thousands of them to a running server, while another tenant works.
    Hostile,
    /// The same files straight to the readers.
    HostileDirect,
    /// A scan of thousands of pages through a real server.
    LongScan,
}

fn main() -> anyhow::Result<()> {
    if std::env::args().nth(1).is_some_and(|role| role == pool::CHILD) {
        return pool::serve();
    }
    let cli = Cli::parse();
    let asked_for = [Part::HostileDirect, Part::LongScan];
    let all = Part::value_variants().iter().filter(|part| !asked_for.contains(part)).copied();
    let parts: Vec<Part> = if cli.parts.is_empty() { all.collect() } else { cli.parts.clone() };
    for part in parts {
        let missing = "name the folder with the documents: --corpus, or DOCKET_CORPUS";
        let corpus = || cli.corpus.as_deref().context(missing);
        match part {
            Part::Score => score_of_truth(corpus()?)?,
            Part::Pool => pool::measure()?,
            Part::Sandbox => sandbox::measure(corpus()?, cli.hostile.docket())?,
            Part::Office => office::measure(corpus()?, cli.each)?,
            Part::Eml => eml::measure(corpus()?, cli.each)?,
            Part::Pdf => pdf::measure(corpus()?, cli.each)?,
            Part::Tables => tables::measure(corpus()?, cli.each)?,
            Part::Speed => speed::measure(corpus()?)?,
            Part::Scans => scans::report(corpus()?, cli.each)?,
            Part::OcrCost => ocr_cost::report(corpus()?, cli.each)?,
            Part::Hostile => {
                hostile::through_a_server(cli.corpus.as_deref(), &cli.hostile, cli.each)?;
            }
            Part::HostileDirect => {
                hostile::straight_to_the_readers(cli.corpus.as_deref(), &cli.hostile, cli.each)?;
            }
            Part::LongScan => long_scan::measure(&cli.long_scan, cli.hostile.docket())?,
        }
    }
    Ok(())
}

/// A reference scored against itself gives 1: a check of the yardstick.
fn score_of_truth(corpus: &Path) -> anyhow::Result<()> {
    let folder = corpus.join("scans_sroie");
    let mut counts = TokenCounts::default();
    for file in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
        let path = file?.path();
        if path.extension().is_some_and(|ending| ending == "txt") {
            let text = std::fs::read_to_string(&path)?;
            counts.add(&text, &text);
        }
    }
    writeln!(io::stdout(), "truth against itself: F1 {:.3}", counts.f1())?;
    Ok(())
}
