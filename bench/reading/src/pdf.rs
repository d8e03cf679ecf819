//! The words of PDFs whose text is known, against `pdftotext` on the same files.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use domain::FileKind;
use pages::Page;
use reading::{Limits, Part, ReadError, Source, formats, layout};

use crate::score::TokenCounts;

/// The texts beside the contracts came out of an extractor themselves: they show what got lost since, not
/// who is better.
const FOLDERS: [&str; 3] = ["pdf_text/pdfbox", "contracts_cuad", "broker_confirmations"];

pub(crate) fn measure(corpus: &Path, each: bool) -> anyhow::Result<()> {
    for folder in FOLDERS {
        measure_folder(corpus, folder, each)?;
    }
    Ok(())
}

fn measure_folder(corpus: &Path, folder: &str, each: bool) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    let files = pdfs_in(&corpus.join(folder))?;
    if files.is_empty() {
        writeln!(out, "PDF: {folder} LEFT OUT, IT IS NOT THERE")?;
        return Ok(());
    }
    let (mut ours, mut theirs, mut peer_is_there) = (Scores::default(), Scores::default(), true);
    for file in &files {
        let Ok(truth) = std::fs::read(file.with_extension("txt")) else { continue };
        let truth = String::from_utf8_lossy(&truth);
        let mine = ours.add(&text_of(file).unwrap_or_default(), &truth);
        let peer = pdftotext(file).map(|text| theirs.add(&text, &truth));
        peer_is_there &= peer.is_some();
        if each {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            writeln!(out, "  {mine:.3} pdftotext {:.3} {name}", peer.unwrap_or(0.0))?;
        }
    }
    writeln!(out, "pdf words, {} files of {folder}: F1 {ours}", files.len())?;
    if peer_is_there {
        writeln!(out, "  pdftotext: F1 {theirs}")?;
    } else {
        writeln!(out, "  PDFTOTEXT: LEFT OUT, IT IS NOT INSTALLED (Debian: poppler-utils)")?;
    }
    Ok(())
}

/// F1 over all words, and on the average of the files.
#[derive(Debug, Default)]
struct Scores {
    all: TokenCounts,
    sum: f64,
    files: u32,
}

impl Scores {
    fn add(&mut self, read: &str, truth: &str) -> f64 {
        let one = TokenCounts::of(read, truth).f1();
        self.all.add(read, truth);
        self.sum += one;
        self.files += 1;
        one
    }
}

impl std::fmt::Display for Scores {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mean = self.sum / f64::from(self.files.max(1));
        write!(f, "{:.4} over all words, {mean:.4} on the average of the files", self.all.f1())
    }
}

pub(crate) fn pdfs_in(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut files = Vec::new();
    for file in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = file?.path();
        if path.extension().is_some_and(|ending| ending == "pdf") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The pages of a PDF, laid out.
pub(crate) fn pages_of(bytes: &[u8]) -> Result<Vec<Page>, ReadError> {
    let mut pages = Vec::new();
    let mut layout = layout::Layout::default();
    let source = Source {
        bytes,
        kind: FileKind::Pdf,
        file_name: "",
        password: None,
        limits: Limits::default(),
    };
    formats::pdf::read(source, &mut |part| {
        if let Part::Page(mut page) = part {
            layout.arrange(&mut page);
            pages.push(page);
        }
        Ok(())
    })?;
    Ok(pages)
}

fn text_of(file: &Path) -> anyhow::Result<String> {
    let mut text = String::new();
    for page in pages_of(&std::fs::read(file)?)? {
        for word in &page.words {
            text.push_str(&word.text);
            text.push(' ');
        }
    }
    Ok(text)
}

fn pdftotext(file: &Path) -> Option<String> {
    let done = Command::new("pdftotext").arg(file).arg("-").output().ok()?;
    Some(String::from_utf8_lossy(&done.stdout).into_owned())
}
