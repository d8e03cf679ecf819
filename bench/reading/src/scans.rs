//! How well pictures of text are read: by each engine, by both, and by both where it is worth it.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::Context;
use domain::FileKind;
use pages::{Size, Word};
use reading::formats::picture::Picture;
use reading::ocr::consensus::{self, ACCEPTED};
use reading::ocr::pp::PpOcr;
use reading::ocr::{Effort, Sheet, tesseract};
use reading::tools::Tools;
use reading::{Limits, Source};

use crate::ocr_cost::{self, CpuClock};
use crate::score::{TokenCounts, character_error_rate};

pub(crate) const FOLDERS: [&str; 2] = ["scans_sroie", "scans_simulated"];

/// The ways of reading that are set against each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Tesseract,
    PpOcr,
    BothEverywhere,
    ByPolicy,
}

impl Way {
    pub(crate) const ALL: [Self; 4] =
        [Self::Tesseract, Self::PpOcr, Self::BothEverywhere, Self::ByPolicy];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Tesseract => "tesseract alone",
            Self::PpOcr => "PP-OCRv6 alone",
            Self::BothEverywhere => "both, everywhere",
            Self::ByPolicy => "both, by policy",
        }
    }
}

/// One way of reading over all pages of a folder.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Total {
    pub(crate) tokens: TokenCounts,
    accepted: TokenCounts,
    edits: f64,
    characters: f64,
    pub(crate) cpu_seconds: f64,
}

#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) folder: &'static str,
    pub(crate) pages: u32,
    /// In the order of [`Way::ALL`].
    pub(crate) totals: [Total; 4],
}

pub(crate) fn report(corpus: &Path, each: bool) -> anyhow::Result<()> {
    let mut out = io::stdout();
    for measured in measure(corpus, each)? {
        writeln!(out, "\n{} ({} pages)", measured.folder, measured.pages)?;
        writeln!(
            out,
            "{:<18} {:>8} {:>8} {:>9} {:>10} {:>8}",
            "", "token F1", "CER", "accepted", "of those ok", "CPU s/p"
        )?;
        for (way, total) in Way::ALL.iter().zip(&measured.totals) {
            writeln!(
                out,
                "{:<18} {:>8.4} {:>8.4} {:>8.1}% {:>10.2}% {:>8.2}",
                way.name(),
                total.tokens.f1(),
                total.edits / total.characters,
                100.0 * share(total.accepted.read, total.tokens.read),
                100.0 * share(total.accepted.both, total.accepted.read),
                total.cpu_seconds / f64::from(measured.pages),
            )?;
        }
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "no corpus has that many words")]
fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// Both reports need the same long run.
pub(crate) fn measure(corpus: &Path, each: bool) -> anyhow::Result<&'static [Measured]> {
    static DONE: OnceLock<Vec<Measured>> = OnceLock::new();
    if DONE.get().is_none() {
        let engine = PpOcr::load(&models_folder()?, 1)?;
        let mut all = Vec::new();
        for folder in FOLDERS {
            let path = corpus.join(folder);
            if path.is_dir() {
                all.push(measure_folder(&engine, &path, folder, each)?);
            } else {
                writeln!(io::stdout(), "{} IS NOT THERE, NOTHING MEASURED", path.display())?;
            }
        }
        let _ = DONE.set(all);
    }
    DONE.get().map(Vec::as_slice).context("nothing was measured")
}

fn models_folder() -> anyhow::Result<PathBuf> {
    Tools::find().models.context("the OCR models are not there: run scripts/ocr-models")
}

fn measure_folder(
    engine: &PpOcr,
    path: &Path,
    folder: &'static str,
    each: bool,
) -> anyhow::Result<Measured> {
    let mut measured = Measured { folder, pages: 0, totals: [Total::default(); 4] };
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(path)?.map(|file| Ok(file?.path())).collect::<io::Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|ending| ending == "jpg"));
    files.sort();
    for file in files {
        let truth = std::fs::read_to_string(file.with_extension("txt"))?;
        let readings = read_every_way(engine, &std::fs::read(&file)?)
            .with_context(|| file.display().to_string())?;
        measured.pages += 1;
        for ((total, (words, cpu_seconds)), way) in
            measured.totals.iter_mut().zip(readings).zip(Way::ALL)
        {
            let f1 = total.add(&words, &truth, cpu_seconds);
            if each {
                let name = file.file_name().unwrap_or_default().display().to_string();
                let way = way.name();
                writeln!(io::stdout(), "{name:<24} {way:<18} F1 {f1:.3} {cpu_seconds:.2} s")?;
            }
        }
    }
    Ok(measured)
}

impl Total {
    /// The receipts' truth is in capitals throughout, whatever was printed: cases do not count.
    fn add(&mut self, words: &[Word], truth: &str, cpu_seconds: f64) -> f64 {
        let text = |words: &mut dyn Iterator<Item = &Word>| {
            words.map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ").to_lowercase()
        };
        let truth = truth.to_lowercase();
        let all = text(&mut words.iter());
        let sure = text(&mut words.iter().filter(|word| word.confidence >= ACCEPTED));
        self.tokens.add(&all, &truth);
        self.accepted.add(&sure, &truth);
        let length = f64::from(u32::try_from(truth.len()).unwrap_or(u32::MAX));
        self.edits += character_error_rate(&all, &truth) * length;
        self.characters += length;
        self.cpu_seconds += cpu_seconds;
        TokenCounts::of(&all, &truth).f1()
    }
}

/// Words and CPU seconds, in the order of [`Way::ALL`].
fn read_every_way(engine: &PpOcr, bytes: &[u8]) -> anyhow::Result<[(Vec<Word>, f64); 4]> {
    let source = Source {
        bytes,
        kind: FileKind::Jpg,
        file_name: "scan.jpg",
        password: None,
        limits: Limits::default(),
    };
    let picture = Picture::open(source)?;
    let size = picture.size(1).unwrap_or(Size { width: 1.0, height: 1.0 });
    let clock = CpuClock::start()?;
    let sheet = Sheet::new(picture.page(1)?, size, Vec::new());
    let prepared = clock.seconds()?;

    let clock = CpuClock::start()?;
    let tsv = ocr_cost::run_tesseract(&tesseract::encode(sheet.for_tesseract()))?;
    let first = tesseract::parse_tsv(&tsv, 100_000);
    let by_tesseract = clock.seconds()? + prepared;

    let clock = CpuClock::start()?;
    let second = sheet.read(None, Some(engine), Effort::Everywhere)?;
    let by_pp = clock.seconds()? + prepared;

    let clock = CpuClock::start()?;
    let both = sheet.read(Some(&first), Some(engine), Effort::Everywhere)?;
    let by_both = clock.seconds()? + by_tesseract;

    let clock = CpuClock::start()?;
    let by_policy = sheet.read(Some(&first), Some(engine), Effort::WhereNeeded)?;
    let cost_by_policy = clock.seconds()? + by_tesseract;

    let first = consensus::join(Some(&first), None);
    Ok([(first, by_tesseract), (second, by_pp), (both, by_both), (by_policy, cost_by_policy)])
}
