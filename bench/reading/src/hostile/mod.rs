//! Files that mean harm: those of the corpus, with what is expected of each, and mutants made from seeds.
//!
//! Every file goes the way of a document through the children of the real binary: read, looked at, laid
//! out. An *outcome* is what came of it; a *wrong* one is a crash, a hang, a limit that was run into, or
//! pages where the corpus says that there can be none, and the other way round.

mod expected;
mod memory;

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufReader, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::Args;
use domain::{FileKind, TenantId};
use reading::Limits;
use reading::artifact;
use reading::detect::{Detected, detect, ending};
use reading::model::{Part, TextSource};
use reading::pool::{Document, DocumentWriter, ReadFailure, Subject};
use reading::reader::{Reader, ReaderSettings};
use reading::tools::Tools;
use testkit::mutate::Mutator;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use expected::{Case, Content, Expected, corpus_cases};
use memory::{Peaks, Watch};

const TENANT: &str = "00000000-0000-7000-8000-000000000001";
/// Longer than that is a hang, whatever came of it.
const PATIENCE: Duration = Duration::from_secs(30);
/// How much of a file its kind is told from.
const HEAD: usize = 8 << 10;

#[derive(Debug, Args)]
pub(crate) struct HostileArgs {
    /// How many files to damage and read, for the part `hostile`.
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
    /// Read their pictures of text as well, which takes most of the time.
    #[arg(long)]
    with_ocr: bool,
}

impl HostileArgs {
    pub(crate) fn docket(&self) -> Option<&Path> {
        self.docket.as_deref()
    }
}

/// What came of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// Pages.
    Read,
    /// By its content it is none of the kinds that are taken.
    Refused,
    /// An error with a name.
    Typed,
    Crashed,
    TimedOut,
    OutOfMemory,
    /// Too much output, or an answer that makes no sense.
    Misbehaved,
}

impl Outcome {
    fn of(failure: &ReadFailure) -> Self {
        match failure {
            ReadFailure::Typed(_) => Self::Typed,
            ReadFailure::Crashed { .. } => Self::Crashed,
            ReadFailure::TimedOut { .. } => Self::TimedOut,
            ReadFailure::OutOfMemory { .. } => Self::OutOfMemory,
            ReadFailure::TooMuchOutput { .. }
            | ReadFailure::Garbled { .. }
            | ReadFailure::NotStarted { .. } => Self::Misbehaved,
        }
    }

    fn is_clean(self) -> bool {
        matches!(self, Self::Read | Self::Refused | Self::Typed)
    }
}

/// What there is to say of one file.
struct Told {
    name: String,
    outcome: Outcome,
    said: String,
    expected: Expected,
    took: Duration,
}

impl Told {
    fn is_wrong(&self) -> bool {
        !self.expected.fits(self.outcome) || self.took > PATIENCE
    }
}

pub(crate) fn report(corpus: &Path, args: &HostileArgs, each: bool) -> anyhow::Result<()> {
    let program = args.docket.clone().context(
        "name the binary whose children read: --docket target/release/docket, or DOCKET_BENCH_BINARY",
    )?;
    let program = program.canonicalize().with_context(|| program.display().to_string())?;
    let children = std::thread::available_parallelism().map_or(2, usize::from);
    let mut tools = Tools::find();
    if !args.with_ocr {
        (tools.models, tools.tesseract) = (None, None);
    }
    let languages = vec!["eng".to_owned()];
    let longest_job = ReaderSettings::LONGEST_JOB;
    let settings = ReaderSettings { program, children, tools, languages, longest_job };
    let known = corpus_cases(corpus)?;
    if known.is_empty() {
        writeln!(io::stdout(), "THE CORPUS HAS NO HOSTILE FILES")?;
    }
    let seeds = args.first_seed..args.first_seed.saturating_add(args.mutants);
    let title = format!("mutants, seeds {} to {}", seeds.start, seeds.end.saturating_sub(1));
    if let Some(folder) = &args.save {
        save(folder, seeds.clone())?;
    }
    let mutants = seeds.map(Case::of_seed).collect();
    let runtime = tokio::runtime::Runtime::new()?;
    for (title, cases) in [("corpus", known), (&title, mutants)] {
        let (begun, watch) = (Instant::now(), Watch::begin());
        let told = runtime.block_on(read_all(Reader::new(settings.clone()), cases, children))?;
        if !told.is_empty() {
            print(title, &told, begun.elapsed(), &watch.end(), each)?;
        }
    }
    Ok(())
}

fn save(folder: &Path, seeds: Range<u64>) -> anyhow::Result<()> {
    let mutator = Mutator::default();
    for mutant in seeds.map(|seed| mutator.mutant(seed)) {
        let path = folder.join(&mutant.file_name);
        fs::write(&path, &mutant.bytes).with_context(|| path.display().to_string())?;
    }
    Ok(())
}

async fn read_all(reader: Reader, cases: Vec<Case>, at_once: usize) -> anyhow::Result<Vec<Told>> {
    let places = Arc::new(Semaphore::new(at_once));
    let mutator = Arc::new(Mutator::default());
    let (mut under_way, mut told) = (JoinSet::new(), Vec::new());
    for case in cases {
        let place = Arc::clone(&places).acquire_owned().await?;
        let (reader, mutator) = (reader.clone(), Arc::clone(&mutator));
        under_way.spawn(async move {
            let told = read_one(&reader, &mutator, case).await;
            drop(place);
            told
        });
        while let Some(done) = under_way.try_join_next() {
            told.push(done??);
        }
    }
    while let Some(done) = under_way.join_next().await {
        told.push(done??);
    }
    Ok(told)
}

async fn read_one(reader: &Reader, mutator: &Mutator, case: Case) -> anyhow::Result<Told> {
    let (file_name, bytes) = match &case.content {
        Content::Mutant(seed) => {
            let mutant = mutator.mutant(*seed);
            (mutant.file_name, mutant.bytes)
        }
        Content::File(path) => {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            (name, fs::read(path).with_context(|| path.display().to_string())?)
        }
    };
    let name = match case.content {
        Content::Mutant(_) => format!("mutant {file_name}"),
        Content::File(_) => case.name,
    };
    let begun = Instant::now();
    let (outcome, said) = match detect(&bytes[..bytes.len().min(HEAD)], &file_name) {
        _ if bytes.is_empty() => (Outcome::Refused, "it is empty".to_owned()),
        Detected::Foreign(what) => (Outcome::Refused, what.to_owned()),
        Detected::Kind(kind) if is_misnamed(&file_name, kind) => {
            (Outcome::Refused, format!("it contains {}", kind.media_type()))
        }
        Detected::Kind(kind) => {
            let limits = Limits::default();
            let subject = Subject { kind, file_name, password: case.password, limits };
            match all_the_way(reader, &subject, &Document::from_bytes(&bytes)?).await {
                Ok(pages) => (Outcome::Read, format!("{pages} pages")),
                Err(failure) => (Outcome::of(&failure), in_full(&failure)),
            }
        }
    };
    Ok(Told { name, outcome, said, expected: case.expected, took: begun.elapsed() })
}

/// As at the front door: a text under the name of something else is refused. Something else under the
/// name of a text would be as well, and is read here all the same.
fn is_misnamed(file_name: &str, kind: FileKind) -> bool {
    let is_text = |kind: FileKind| {
        matches!(kind, FileKind::Txt | FileKind::Md | FileKind::Html | FileKind::Eml)
    };
    let named: Option<FileKind> = ending(file_name).and_then(|ending| ending.parse().ok());
    is_text(kind) && named.is_some_and(|named| !is_text(named))
}

fn in_full(failure: &ReadFailure) -> String {
    match failure {
        ReadFailure::Crashed { last_words, .. } => format!("{failure}: {last_words}"),
        _ => failure.to_string(),
    }
}

/// Read, recognised when there is an engine, laid out, and its first page drawn.
async fn all_the_way(
    reader: &Reader,
    subject: &Subject,
    document: &Document,
) -> Result<u32, ReadFailure> {
    let tenant = TENANT.parse::<TenantId>().map_err(garbled)?;
    let (mut pages, mut wanting) = (new_artifact()?, 0);
    let mut parts = reader.read(tenant, subject, document, &[]).await?;
    while let Some(part) = parts.next().await? {
        wanting += u32::from(matches!(&part, Part::Page(page) if page.text == TextSource::Wanted));
        pages.write(&part).map_err(garbled)?;
    }
    let mut read = pages.finish().map_err(garbled)?.finish().map_err(garbled)?;
    if wanting > 0 && reader.has_ocr() {
        let from = BufReader::new(read.reopened().map_err(garbled)?);
        let from = artifact::Reader::new(from).map_err(garbled)?;
        let (mut recognised, mut to) =
            (reader.recognise(tenant, subject, document, from), new_artifact()?);
        while let Some(part) = recognised.next().await? {
            to.write(&part).map_err(garbled)?;
        }
        read = to.finish().map_err(garbled)?.finish().map_err(garbled)?;
    }
    let (mut laid_out, mut count) = (reader.lay_out(tenant, subject, &read).await?, 0);
    while let Some(part) = laid_out.next().await? {
        count += u32::from(matches!(part, Part::Page(_)));
    }
    let of_first_page = reading::reader::PictureOf { page: 1, width: 200, masks: Vec::new() };
    match reader.picture(tenant, subject, document, of_first_page).await {
        // Not every kind can be drawn, nor every page.
        Ok(_) | Err(ReadFailure::Typed(_)) => Ok(count),
        Err(failure) => Err(failure),
    }
}

fn new_artifact() -> Result<artifact::Writer<DocumentWriter>, ReadFailure> {
    artifact::Writer::new(DocumentWriter::new().map_err(garbled)?).map_err(garbled)
}

fn garbled(error: impl ToString) -> ReadFailure {
    ReadFailure::Garbled { what: error.to_string() }
}

fn print(
    title: &str,
    told: &[Told],
    took: Duration,
    peaks: &Peaks,
    each: bool,
) -> anyhow::Result<()> {
    let mut to = io::stdout().lock();
    let mut counts = BTreeMap::<Outcome, usize>::new();
    for one in told {
        *counts.entry(one.outcome).or_default() += 1;
    }
    let count = |outcome: Outcome| counts.get(&outcome).copied().unwrap_or(0);
    let slowest = told.iter().max_by_key(|one| one.took);
    let rate = f64::from(u32::try_from(told.len())?) / took.as_secs_f64();
    writeln!(to, "hostile files: {title}")?;
    for (name, value) in [
        ("files", told.len()),
        ("pages came", count(Outcome::Read)),
        ("refused by content", count(Outcome::Refused)),
        ("typed error", count(Outcome::Typed)),
        ("crashed", count(Outcome::Crashed)),
        ("timed out", count(Outcome::TimedOut)),
        ("out of memory", count(Outcome::OutOfMemory)),
        ("misbehaved", count(Outcome::Misbehaved)),
        ("longer than 30 s", told.iter().filter(|one| one.took > PATIENCE).count()),
        ("wrong", told.iter().filter(|one| one.is_wrong()).count()),
    ] {
        writeln!(to, "  {name:<20}{value:>8}")?;
    }
    writeln!(to, "  {:<20}{rate:>8.1}", "files/s")?;
    writeln!(to, "  {:<20}{:>8} MiB", "parent at most", peaks.parent >> 10)?;
    writeln!(to, "  {:<20}{:>8} MiB", "largest child", peaks.largest_child >> 10)?;
    if let Some(slowest) = slowest {
        writeln!(
            to,
            "  {:<20}{:>8.1} s ({})",
            "slowest",
            slowest.took.as_secs_f32(),
            slowest.name
        )?;
    }
    for one in told.iter().filter(|one| each && one.is_wrong()) {
        let Told { name, outcome, said, expected, took } = one;
        let said: String = said.chars().take(600).collect();
        writeln!(
            to,
            "  WRONG {name}: {outcome:?}, expected {expected:?}, after {took:.1?}: {said}"
        )?;
    }
    Ok(())
}
