//! Files that mean harm: those of the corpus, with what is expected of each, and mutants made from seeds.
//!
//! `siege.rs` hands them in to a running server while another tenant works; `direct.rs` gives the same files
//! straight to the readers, which is quicker and tells apart how a reader was lost.

mod direct;
mod expected;
mod ledger;
mod neighbour;
mod siege;
mod verdict;

use std::fs;
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use clap::{Args, ValueEnum};
use testkit::mutate::Mutator;

use expected::{Case, corpus_cases};

/// Longer than that is too long, whatever came of it.
const SLOW_READ: Duration = Duration::from_secs(30);

#[derive(Debug, Args)]
pub(crate) struct HostileArgs {
    /// How many files to damage and read, for the parts `hostile` and `hostile-direct`.
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    mutants: u64,
    /// The seed of the first of them; the others follow.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    first_seed: u64,
    /// Leave them in this folder as well.
    #[arg(long, value_name = "FOLDER")]
    save: Option<PathBuf>,
    /// The binary whose children read them, or that is measured as a whole.
    #[arg(long, value_name = "PATH", env = "DOCKET_BENCH_BINARY")]
    docket: Option<PathBuf>,
    /// Who reads their pictures of text, which takes most of the time.
    #[arg(long, value_enum, default_value_t = Ocr::Tesseract)]
    ocr: Ocr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Ocr {
    None,
    Tesseract,
    Both,
}

impl HostileArgs {
    pub(crate) fn docket(&self) -> Option<&Path> {
        self.docket.as_deref()
    }
}

/// How a file ended, as far as what is expected of it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    Pages,
    /// Refused, or an error with a name.
    Error,
    /// The reader crashed, took too long or ran into a limit.
    Unclean,
}

/// Files that are counted together.
struct Wave {
    title: String,
    cases: Vec<Case>,
}

/// To a running server, while another tenant works.
pub(crate) fn through_a_server(
    corpus: Option<&Path>,
    args: &HostileArgs,
    each: bool,
) -> anyhow::Result<()> {
    siege::report(waves(corpus, args)?, args, each)
}

pub(crate) fn straight_to_the_readers(
    corpus: Option<&Path>,
    args: &HostileArgs,
    each: bool,
) -> anyhow::Result<()> {
    direct::report(waves(corpus, args)?, args, each)
}

fn waves(corpus: Option<&Path>, args: &HostileArgs) -> anyhow::Result<Vec<Wave>> {
    let known = corpus.map(corpus_cases).transpose()?.unwrap_or_default();
    if known.is_empty() {
        let why = match corpus {
            None => "DOCKET_CORPUS IS NOT SET: THE HOSTILE FILES OF THE CORPUS ARE LEFT OUT",
            Some(_) => "THE CORPUS HAS NO HOSTILE FILES: THEY ARE LEFT OUT",
        };
        writeln!(io::stdout(), "{why}")?;
    }
    let seeds = args.first_seed..args.first_seed.saturating_add(args.mutants);
    if let Some(folder) = &args.save {
        save(folder, seeds.clone())?;
    }
    let title = format!("mutants, seeds {} to {}", seeds.start, seeds.end.saturating_sub(1));
    let mutants = Wave { title, cases: seeds.map(Case::of_seed).collect() };
    Ok(vec![Wave { title: "corpus".to_owned(), cases: known }, mutants])
}

fn save(folder: &Path, seeds: Range<u64>) -> anyhow::Result<()> {
    let mutator = Mutator::default();
    for mutant in seeds.map(|seed| mutator.mutant(seed)) {
        let path = folder.join(&mutant.file_name);
        fs::write(&path, &mutant.bytes).with_context(|| path.display().to_string())?;
    }
    Ok(())
}
