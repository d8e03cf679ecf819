//! What is to be said of a siege, and what of it must be nought.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use reading::reader::ReaderSettings;
use uuid::Uuid;

use super::expected::Expected;
use super::ledger::RunEnd;
use super::neighbour::Diary;
use super::siege::{Readiness, SubmittedFile, UploadAnswer};
use super::{Ended, SLOW_READ};
use crate::processes::Peaks;

/// As in the tests. The server alone: what readers need is theirs.
const MOST_MIB: u64 = 400;
/// How the engine begins when the database would not take what a stage left.
const NOT_RECORDED: &str = "the outcome could not be recorded";

pub(super) struct Siege {
    pub(super) submitted: Vec<SubmittedFile>,
    /// Of the submitted files and their attachments.
    pub(super) ends: HashMap<Uuid, RunEnd>,
    /// For how long a job was worked on at most, as seen while it was.
    pub(super) oldest: Duration,
    pub(super) took: Duration,
    pub(super) peaks: Peaks,
    pub(super) alone: Diary,
    pub(super) beside: Diary,
    pub(super) readiness: Arc<Readiness>,
    /// The process that was started is the one that served to the end.
    pub(super) survived: bool,
}

/// A file that did not end as it should.
struct Complaint<'a> {
    kind: Kind,
    name: &'a str,
    said: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Served, although the corpus says that nothing can be read, or without a page.
    WrongSuccess,
    /// Not served, although the corpus says that it can be read.
    NotRead,
    /// Failed with a reason, but only after several tries, as when a reader crashes or runs into a limit.
    Failed,
    /// Served, with pages but nothing on them that can be read: empty by right, mostly.
    Wordless,
    /// Failed for what is no fault of the file's.
    OurFault,
    Unexplained,
    Unfinished,
    /// A stage took more than the corpus lets a file take.
    TooLong,
    /// A stage took more than a reader may be kept busy.
    BeyondLimit,
    Fault,
}

impl Kind {
    /// What must not happen is always listed in full.
    fn is_grave(self) -> bool {
        !matches!(self, Self::NotRead | Self::Failed | Self::Wordless)
    }
}

pub(super) fn print(siege: &Siege, titles: &[String], ocr: &str, each: bool) -> anyhow::Result<()> {
    let mut to = io::stdout().lock();
    let Siege { took, peaks, .. } = siege;
    let rate = f64::from(u32::try_from(siege.submitted.len())?) / took.as_secs_f64();
    writeln!(to, "hostile files to a running server, {ocr}, all stages: {}", titles.join("; "))?;
    for (at, title) in titles.iter().enumerate() {
        print_wave(&mut to, siege, at, title)?;
    }
    let complaints = complaints(siege);
    let count = |kind: Kind| complaints.iter().filter(|one| one.kind == kind).count();
    let within =
        siege.ends.len() - siege.submitted.iter().filter(|one| one.run().is_some()).count();
    writeln!(to, "  {:<34}{within:>8}", "attachments that came of them")?;
    writeln!(to, "  {:<34}{rate:>8.1} ({:.0} s)", "files/s", took.as_secs_f64())?;
    let (longest, stage) = longest(siege);
    writeln!(to, "  {:<34}{:>8.1} s ({stage})", "longest try of a stage", longest.as_secs_f64())?;
    writeln!(to, "  {:<34}{:>8}", "failed after several tries", count(Kind::Failed))?;
    writeln!(to, "  {:<34}{:>8}", "not read, though others read it", count(Kind::NotRead))?;
    let not_ready = siege.readiness.not_ready.load(Ordering::Relaxed);
    for (name, value) in [
        ("server crashes and restarts", usize::from(!siege.survived)),
        ("not ready when asked", usize::try_from(not_ready)?),
        ("no answer at the door, or 5xx", count(Kind::Fault)),
        ("still not over", count(Kind::Unfinished)),
        ("a stage beyond its limit, 120 s", count(Kind::BeyondLimit)),
        ("a stage beyond 30 s", count(Kind::TooLong)),
        ("wrong succeeded", count(Kind::WrongSuccess)),
        ("failed by a fault of ours", count(Kind::OurFault)),
        ("failed without a reason", count(Kind::Unexplained)),
        ("the other tenant's, harmed", siege.alone.harmed.len() + siege.beside.harmed.len()),
    ] {
        let verdict = if value == 0 { "reached" } else { "MISSED" };
        writeln!(to, "  {name:<34}{value:>8} (target 0: {verdict})")?;
    }
    print_memory(&mut to, peaks)?;
    print_neighbour(&mut to, siege)?;
    for one in complaints.iter().filter(|one| each || one.kind.is_grave()) {
        let said: String = one.said.chars().take(600).collect();
        writeln!(to, "  {:?} {}: {said}", one.kind, one.name)?;
    }
    for harmed in siege.alone.harmed.iter().chain(&siege.beside.harmed).take(20) {
        writeln!(to, "  HARMED {harmed}")?;
    }
    Ok(())
}

/// How the files of one wave ended.
fn print_wave(to: &mut impl Write, siege: &Siege, at: usize, title: &str) -> io::Result<()> {
    let of_wave = || siege.submitted.iter().filter(move |one| one.wave == at);
    if of_wave().count() == 0 {
        return Ok(());
    }
    let (mut refused, mut failed) = (BTreeMap::new(), BTreeMap::new());
    let (mut known, mut succeeded, mut wordless) = (0, 0, BTreeMap::new());
    for one in of_wave() {
        match &one.answer {
            UploadAnswer::Known => known += 1,
            UploadAnswer::Refused(code) => *refused.entry(code.as_str()).or_insert(0) += 1,
            UploadAnswer::Taken(_) | UploadAnswer::Fault(_) => {}
        }
        let Some(end) = one.run().and_then(|run| siege.ends.get(&run)) else { continue };
        match end.status.as_str() {
            "succeeded" => {
                succeeded += 1;
                if end.words == 0 {
                    *wordless.entry(one.ending()).or_insert(0) += 1;
                }
            }
            "failed" => *failed.entry((end.error_class.as_str(), end.reason())).or_insert(0) += 1,
            _ => {}
        }
    }
    writeln!(to, " {title}")?;
    writeln!(to, "  {:<34}{:>8}", "submitted", of_wave().count())?;
    writeln!(to, "  {:<34}{known:>8}", "the same content was there before")?;
    writeln!(to, "  {:<34}{:>8}", "refused at the door", refused.values().sum::<usize>())?;
    for (code, count) in refused {
        writeln!(to, "    {code:<32}{count:>8}")?;
    }
    let accepted = of_wave().filter(|one| one.run().is_some()).count();
    writeln!(to, "  {:<34}{accepted:>8}", "accepted")?;
    writeln!(to, "  {:<34}{succeeded:>8}", "succeeded")?;
    let kinds: Vec<String> = wordless.iter().map(|(kind, some)| format!("{some} {kind}")).collect();
    let wordless: usize = wordless.values().sum();
    writeln!(to, "    {:<32}{wordless:>8} ({})", "without a word", kinds.join(", "))?;
    writeln!(to, "  {:<34}{:>8}", "failed with a reason", failed.values().sum::<usize>())?;
    for ((class, reason), count) in failed {
        writeln!(to, "    {count:>8} {class}: {reason}")?;
    }
    Ok(())
}

fn print_memory(to: &mut impl Write, peaks: &Peaks) -> io::Result<()> {
    let (most, end) = (peaks.server >> 20, peaks.server_in_the_end() >> 20);
    let verdict = if most <= MOST_MIB { "reached" } else { "MISSED" };
    let quarters: Vec<String> =
        peaks.server_by_quarter().iter().map(|bytes| (bytes >> 20).to_string()).collect();
    let target = format!("(target ≤ {MOST_MIB}: {verdict})");
    writeln!(to, "  {:<34}{most:>8} MiB {target}", "the server at most")?;
    writeln!(
        to,
        "  {:<34}{} MiB, {end} in the end",
        "the server by quarters",
        quarters.join(", ")
    )?;
    writeln!(to, "  {:<34}{:>8} MiB", "its largest child", peaks.largest_child >> 20)?;
    writeln!(to, "  {:<34}{:>8} MiB", "PostgreSQL, besides", peaks.postgres >> 20)
}

fn print_neighbour(to: &mut impl Write, siege: &Siege) -> io::Result<()> {
    for (name, diary) in [("alone", &siege.alone), ("meanwhile", &siege.beside)] {
        let name = format!("the other tenant's documents, {name}");
        let [median, most, longest] = diary.times();
        let times = format!("p50 {median} ms, p99 {most} ms, longest {longest} ms");
        writeln!(to, "  {name:<42}{:>6}: {times}", diary.documents())?;
    }
    Ok(())
}

impl SubmittedFile {
    /// Of its name, which says what the file was once.
    fn ending(&self) -> &str {
        self.name.rsplit_once('.').map_or("", |(_, ending)| ending)
    }

    fn run(&self) -> Option<Uuid> {
        match self.answer {
            UploadAnswer::Taken(run_id) => Some(run_id),
            UploadAnswer::Known | UploadAnswer::Refused(_) | UploadAnswer::Fault(_) => None,
        }
    }
}

fn longest(siege: &Siege) -> (Duration, &str) {
    let kept = siege.ends.values().max_by_key(|end| end.longest());
    let kept = kept.map_or((Duration::ZERO, ""), |end| (end.longest(), &end.longest_stage));
    kept.max((siege.oldest, "as seen under way"))
}

fn complaints(siege: &Siege) -> Vec<Complaint<'_>> {
    let mut complaints = Vec::new();
    for one in &siege.submitted {
        let mut complain = |kind, said: String| {
            complaints.push(Complaint { kind, name: &one.name, said });
        };
        match &one.answer {
            UploadAnswer::Fault(said) => complain(Kind::Fault, said.clone()),
            UploadAnswer::Refused(code) if one.expected == Expected::Pages => {
                complain(Kind::NotRead, format!("refused at the door: {code}"));
            }
            UploadAnswer::Taken(run_id) => match siege.ends.get(run_id) {
                Some(end) => kinds_of(one.expected, end)
                    .into_iter()
                    .for_each(|kind| complain(kind, format!("{end:?}"))),
                None => complain(Kind::Unfinished, "its run is not there".to_owned()),
            },
            UploadAnswer::Refused(_) | UploadAnswer::Known => {}
        }
    }
    let submitted: HashSet<Uuid> = siege.submitted.iter().filter_map(SubmittedFile::run).collect();
    for end in siege.ends.values().filter(|end| !submitted.contains(&end.run_id)) {
        let kinds = kinds_of(Expected::Either, end);
        let about = |kind| Complaint { kind, name: "an attachment", said: format!("{end:?}") };
        complaints.extend(kinds.into_iter().map(about));
    }
    let hung = siege.oldest > ReaderSettings::LONGEST_JOB;
    if hung && !complaints.iter().any(|one| one.kind == Kind::BeyondLimit) {
        // A try before the last one, of which no row is left.
        let said = format!("a job was worked on for {:?}", siege.oldest);
        complaints.push(Complaint { kind: Kind::BeyondLimit, name: "some file", said });
    }
    complaints
}

fn kinds_of(expected: Expected, end: &RunEnd) -> Vec<Kind> {
    let mut kinds = Vec::new();
    if !end.is_over() {
        return vec![Kind::Unfinished];
    }
    let ended = match end.status.as_str() {
        "succeeded" => Ended::Pages,
        _ if end.is_the_files() => Ended::Error,
        _ => Ended::Unclean,
    };
    if ended == Ended::Pages && (end.pages == 0 || !expected.fits(ended)) {
        kinds.push(Kind::WrongSuccess);
    }
    if ended == Ended::Pages && end.words == 0 {
        kinds.push(Kind::Wordless);
    }
    if ended != Ended::Pages && expected == Expected::Pages {
        kinds.push(Kind::NotRead);
    }
    if end.reason().starts_with(NOT_RECORDED) {
        kinds.push(Kind::OurFault);
    }
    if ended == Ended::Unclean {
        kinds.push(Kind::Failed);
    }
    if ended != Ended::Pages && (end.error.is_empty() || end.guidance.is_empty()) {
        kinds.push(Kind::Unexplained);
    }
    if end.longest() > SLOW_READ {
        kinds.push(Kind::TooLong);
    }
    if end.longest() > ReaderSettings::LONGEST_JOB {
        kinds.push(Kind::BeyondLimit);
    }
    kinds
}
