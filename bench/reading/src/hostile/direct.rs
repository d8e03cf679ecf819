//! Files that mean harm, straight to the readers: no server, only the children of the real binary.
//!
//! Every file goes the way of a document: read, recognised, laid out, drawn. An *outcome* is what came of it; a
//! *wrong* one is a crash, a hang, a limit that was run into, or pages where the corpus says that there can be
//! none, and the other way round.

use std::collections::BTreeMap;
use std::io::{self, BufReader, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::{FileKind, TenantId};
use pages::artifact;
use pages::{Part, TextSource};
use reading::Limits;
use reading::detect::{Detected, detect, ending};
use reading::pool::{ChildFailure, Document, DocumentWriter, ReadFailure, Subject};
use reading::reader::{Reader, ReaderSettings};
use reading::sandbox::SandboxPolicy;
use reading::tools::Tools;
use testkit::mutate::Mutator;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::expected::{Case, Expected};
use super::{Ended, HostileArgs, Ocr, SLOW_READ, Wave};
use crate::client::File;
use crate::processes::{Peaks, Watch};
use crate::server;

const TENANT: &str = "00000000-0000-7000-8000-000000000001";
/// How many bytes of a file the detection of its type reads.
const HEAD: usize = 8 << 10;

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
            ReadFailure::Child(ChildFailure::Crashed { .. }) => Self::Crashed,
            ReadFailure::Child(ChildFailure::TimedOut { .. }) => Self::TimedOut,
            ReadFailure::Child(ChildFailure::OutOfMemory { .. }) => Self::OutOfMemory,
            ReadFailure::Child(_) => Self::Misbehaved,
        }
    }

    fn ended(self) -> Ended {
        match self {
            Self::Read => Ended::Pages,
            Self::Refused | Self::Typed => Ended::Error,
            Self::Crashed | Self::TimedOut | Self::OutOfMemory | Self::Misbehaved => Ended::Unclean,
        }
    }
}

/// What there is to say of one file.
struct ReadResult {
    name: String,
    outcome: Outcome,
    said: String,
    expected: Expected,
    took: Duration,
}

impl ReadResult {
    fn is_wrong(&self) -> bool {
        !self.expected.fits(self.outcome.ended()) || self.took > SLOW_READ
    }
}

pub(super) fn report(waves: Vec<Wave>, args: &HostileArgs, each: bool) -> anyhow::Result<()> {
    let children = std::thread::available_parallelism().map_or(2, usize::from);
    let mut tools = Tools::find();
    tools.models = tools.models.filter(|_| args.ocr == Ocr::Both);
    tools.tesseract = tools.tesseract.filter(|_| args.ocr != Ocr::None);
    let settings = ReaderSettings {
        program: server::binary(args.docket())?,
        children,
        tools,
        sandbox: SandboxPolicy::Required,
        languages: vec!["eng".to_owned()],
        longest_job: ReaderSettings::LONGEST_JOB,
    };
    let runtime = tokio::runtime::Runtime::new()?;
    let mut wrong = 0;
    for Wave { title, cases } in waves {
        let (begun, watch) = (Instant::now(), Watch::begin(std::process::id()));
        let results = runtime.block_on(read_all(Reader::new(settings.clone()), cases, children))?;
        if !results.is_empty() {
            print(&title, &results, begun.elapsed(), &watch.end(), each)?;
        }
        wrong += results.iter().filter(|one| one.is_wrong()).count();
    }
    anyhow::ensure!(wrong == 0, "{wrong} files ended wrongly; --each names them");
    Ok(())
}

async fn read_all(
    reader: Reader,
    cases: Vec<Case>,
    at_once: usize,
) -> anyhow::Result<Vec<ReadResult>> {
    let places = Arc::new(Semaphore::new(at_once));
    let mutator = Arc::new(Mutator::default());
    let (mut under_way, mut results) = (JoinSet::new(), Vec::new());
    for case in cases {
        let place = Arc::clone(&places).acquire_owned().await?;
        let (reader, mutator) = (reader.clone(), Arc::clone(&mutator));
        under_way.spawn(async move {
            let result = read_one(&reader, &mutator, case).await;
            drop(place);
            result
        });
        while let Some(done) = under_way.try_join_next() {
            results.push(done??);
        }
    }
    while let Some(done) = under_way.join_next().await {
        results.push(done??);
    }
    Ok(results)
}

async fn read_one(reader: &Reader, mutator: &Mutator, case: Case) -> anyhow::Result<ReadResult> {
    let file = case.file(mutator)?;
    let name = case.name_with(&file);
    let File { name: file_name, bytes, password } = file;
    let begun = Instant::now();
    let (outcome, said) = match detect(&bytes[..bytes.len().min(HEAD)], &file_name) {
        _ if bytes.is_empty() => (Outcome::Refused, "it is empty".to_owned()),
        Detected::Foreign(what) => (Outcome::Refused, what.to_owned()),
        Detected::Kind(kind) if is_misnamed(&file_name, kind) => {
            (Outcome::Refused, format!("it contains {}", kind.media_type()))
        }
        Detected::Kind(kind) => {
            let limits = Limits::default();
            let subject = Subject { kind, file_name, password, limits };
            match all_the_way(reader, &subject, &Document::from_bytes(&bytes)?).await {
                Ok(pages) => (Outcome::Read, format!("{pages} pages")),
                Err(failure) => (Outcome::of(&failure), in_full(&failure)),
            }
        }
    };
    Ok(ReadResult { name, outcome, said, expected: case.expected, took: begun.elapsed() })
}

/// As at the API: a text under the name of something else is refused. Something else under the
/// name of a text would be as well, and is read here all the same.
fn is_misnamed(file_name: &str, kind: FileKind) -> bool {
    let is_text = |kind: FileKind| {
        matches!(
            kind,
            FileKind::Txt | FileKind::Md | FileKind::Html | FileKind::Eml | FileKind::Xml
        )
    };
    let named: Option<FileKind> = ending(file_name).and_then(|ending| ending.parse().ok());
    is_text(kind) && named.is_some_and(|named| !is_text(named))
}

fn in_full(failure: &ReadFailure) -> String {
    match failure {
        ReadFailure::Child(ChildFailure::Crashed { stderr_tail, .. }) => {
            format!("{failure}: {stderr_tail}")
        }
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
    ChildFailure::garbled(error).into()
}

fn print(
    title: &str,
    results: &[ReadResult],
    took: Duration,
    peaks: &Peaks,
    each: bool,
) -> anyhow::Result<()> {
    let mut to = io::stdout().lock();
    let mut counts = BTreeMap::<Outcome, usize>::new();
    for one in results {
        *counts.entry(one.outcome).or_default() += 1;
    }
    let count = |outcome: Outcome| counts.get(&outcome).copied().unwrap_or(0);
    let slowest = results.iter().max_by_key(|one| one.took);
    let rate = f64::from(u32::try_from(results.len())?) / took.as_secs_f64();
    writeln!(to, "hostile files, straight to the readers: {title}")?;
    for (name, value) in [
        ("files", results.len()),
        ("pages came", count(Outcome::Read)),
        ("refused by content", count(Outcome::Refused)),
        ("typed error", count(Outcome::Typed)),
        ("crashed", count(Outcome::Crashed)),
        ("timed out", count(Outcome::TimedOut)),
        ("out of memory", count(Outcome::OutOfMemory)),
        ("misbehaved", count(Outcome::Misbehaved)),
        ("longer than 30 s", results.iter().filter(|one| one.took > SLOW_READ).count()),
        ("wrong", results.iter().filter(|one| one.is_wrong()).count()),
    ] {
        writeln!(to, "  {name:<20}{value:>8}")?;
    }
    writeln!(to, "  {:<20}{rate:>8.1}", "files/s")?;
    writeln!(to, "  {:<20}{:>8} MiB", "parent at most", peaks.server >> 20)?;
    writeln!(to, "  {:<20}{:>8} MiB", "largest child", peaks.largest_child >> 20)?;
    if let Some(slowest) = slowest {
        writeln!(
            to,
            "  {:<20}{:>8.1} s ({})",
            "slowest",
            slowest.took.as_secs_f32(),
            slowest.name
        )?;
    }
    for one in results.iter().filter(|one| each && one.is_wrong()) {
        let ReadResult { name, outcome, said, expected, took } = one;
        let said: String = said.chars().take(600).collect();
        writeln!(
            to,
            "  WRONG {name}: {outcome:?}, expected {expected:?}, after {took:.1?}: {said}"
        )?;
    }
    Ok(())
}
