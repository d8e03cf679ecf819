//! What shutting readers in costs: the same digital PDFs, read and packed in this process, and through children of
//! the real binary whose answers this process stores. CPU time of both sides, in turns, all rounds together; a child
//! that takes the place of another is counted with its start.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use domain::{FileKind, TenantId};
use pages::artifact::Writer;
use reading::formats::pdf;
use reading::pool::{Document, PackedAnswer, ReadFailure, Subject};
use reading::reader::{Reader, ReaderSettings};
use reading::sandbox::SandboxPolicy;
use reading::tools::Tools;
use reading::{Limits, Part, ReadError, Source};

use crate::pdf::pdfs_in;

const FOLDERS: [&str; 3] = ["pdf_text/icdar2013_tables", "contracts_cuad", "invoices"];
const ROUNDS: u32 = 5;
const TENANT: &str = "00000000-0000-7000-8000-000000000001";

/// CPU time through a child, on either side of the pipe.
#[derive(Clone, Copy, Debug, Default)]
struct Shared {
    parent: Duration,
    child: Duration,
}

pub(crate) fn measure(corpus: &Path, docket: Option<&Path>) -> anyhow::Result<()> {
    let program = docket.context(
        "name the binary whose children read: --docket target/dist/docket, or DOCKET_BENCH_BINARY",
    )?;
    let program = program.canonicalize().with_context(|| program.display().to_string())?;
    let mut files = Vec::new();
    for folder in FOLDERS {
        let found = pdfs_in(&corpus.join(folder))?;
        if found.is_empty() {
            writeln!(io::stdout(), "SANDBOX: {folder} IS NOT THERE")?;
        }
        files.extend(found);
    }
    let documents = files.iter().map(fs::read).collect::<Result<Vec<_>, _>>()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let reader = Reader::new(ReaderSettings {
        program,
        children: 1,
        tools: Tools { tesseract: None, models: None, ..Tools::find() },
        sandbox: SandboxPolicy::Required,
        languages: Vec::new(),
        longest_job: ReaderSettings::LONGEST_JOB,
    });
    let (mut home, mut shared) = (Duration::ZERO, Shared::default());
    let mut pages = 0;
    for _ in 0..ROUNDS {
        let begun = cpu_of("self");
        pages = documents.iter().map(|bytes| at_home(bytes)).sum::<anyhow::Result<u32>>()?;
        home += cpu_of("self").saturating_sub(begun);
        let round = runtime.block_on(through_a_child(&reader, &documents, pages))?;
        shared.parent += round.parent;
        shared.child += round.child;
    }
    let Shared { parent, child } = shared;
    let share = |time: Duration| time.as_secs_f64() / home.as_secs_f64();
    let mut to = io::stdout().lock();
    writeln!(to, "the sandbox, {pages} pages of {} files, CPU time:", files.len())?;
    writeln!(to, "  at home             {home:.1?}")?;
    writeln!(to, "  parent              {parent:.1?} ({:.1} %)", 100.0 * share(parent))?;
    writeln!(to, "  child               {child:.1?} ({:.1} %)", 100.0 * share(child))?;
    let more = 100.0 * (share(parent + child) - 1.0);
    writeln!(to, "  more than at home   {more:.1} % (target ≤ 5)")?;
    Ok(())
}

fn at_home(bytes: &[u8]) -> anyhow::Result<u32> {
    let source = Source {
        bytes,
        kind: FileKind::Pdf,
        file_name: "",
        password: None,
        limits: Limits::default(),
    };
    let (mut artifact, mut pages) = (Writer::new(Vec::new())?, 0);
    let mut write = |part: Part| {
        pages += u32::from(matches!(part, Part::Page(_)));
        artifact.write(&part).map_err(ReadError::damaged)
    };
    // What cannot be opened is left out by both.
    if pdf::read(source, &mut write).is_err() {
        return Ok(0);
    }
    std::hint::black_box(artifact.finish()?);
    Ok(pages)
}

async fn through_a_child(
    reader: &Reader,
    documents: &[Vec<u8>],
    expected: u32,
) -> anyhow::Result<Shared> {
    let tenant = TENANT.parse::<TenantId>()?;
    let subject = Subject {
        kind: FileKind::Pdf,
        file_name: String::new(),
        password: None,
        limits: Limits::default(),
    };
    // The first one starts the child.
    let handed =
        documents.iter().map(|bytes| Document::from_bytes(bytes)).collect::<Result<Vec<_>, _>>()?;
    store(reader, tenant, &subject, &handed[0]).await?;
    let (parent, child) = (cpu_of("self"), cpu_of_children());
    let mut pages = 0;
    for document in &handed {
        pages += store(reader, tenant, &subject, document).await?;
    }
    anyhow::ensure!(pages == expected, "{pages} pages came of {expected}");
    Ok(Shared {
        parent: cpu_of("self").saturating_sub(parent),
        child: cpu_of_children().saturating_sub(child),
    })
}

/// As the stage does it: what comes is stored unopened. How many pages came.
async fn store(
    reader: &Reader,
    tenant: TenantId,
    subject: &Subject,
    document: &Document,
) -> anyhow::Result<u32> {
    let (mut artifact, mut pages) = (Writer::new(Vec::new())?, 0);
    let mut parts = reader.read(tenant, subject, document, &[]).await?;
    loop {
        match parts.next_packed().await {
            Ok(Some(PackedAnswer::Part(part))) => {
                pages += u32::from(part.is_page());
                artifact.write_packed(&part)?;
            }
            Ok(Some(_)) => {}
            Ok(None) => break,
            Err(ReadFailure::Typed(_)) => return Ok(0),
            Err(failure) => return Err(failure.into()),
        }
    }
    std::hint::black_box(artifact.finish()?);
    Ok(pages)
}

/// What all threads of a process have used of the processor, by the kernel's count.
fn cpu_of(process: &str) -> Duration {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let used = threads.filter_map(|thread| {
        let counted = fs::read_to_string(thread.path().join("schedstat")).ok()?;
        counted.split_whitespace().next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(used.sum())
}

/// That of children, those that have ended among them.
fn cpu_of_children() -> Duration {
    const TICK: Duration = Duration::from_millis(10);
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let rest = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    // User and system time of children that were waited for, in ticks.
    let ended =
        rest.split_whitespace().skip(13).take(2).filter_map(|ticks| ticks.parse::<u32>().ok());
    let ended: u32 = ended.sum();
    children().map(|pid| cpu_of(&pid)).sum::<Duration>() + TICK * ended
}

/// The processes whose parent is this one.
fn children() -> impl Iterator<Item = String> {
    let own = std::process::id().to_string();
    let ids = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = ids.filter_map(|entry| entry.file_name().into_string().ok());
    ids.filter(move |id| {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        let rest = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
        rest.split_whitespace().nth(1) == Some(own.as_str())
    })
}
