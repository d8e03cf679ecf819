//! The documents that extraction is measured on, and their pages, which `docket read` makes once.

use std::fs;
use std::io::{BufReader, Write, stderr};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use anyhow::{Context, bail};
use pages::artifact::Reader;
use pages::{Page, Part};

pub(crate) const FOLDERS: [(&str, &str); 5] = [
    ("broker_confirmations", "pdf"),
    ("invoices", "pdf"),
    ("invoices/with_attachment", "pdf"),
    ("invoices_invoice2data", "pdf"),
    ("scans_sroie", "jpg"),
];

/// Documents that are no contract notes, invoices or receipts: contracts, reports, articles, presentations, letters.
pub(crate) const OTHERS: [(&str, &str); 9] = [
    ("contracts_cuad", "pdf"),
    ("pdf_text/icdar2013_tables", "pdf"),
    ("pdf_text/pdfbox", "pdf"),
    ("office_docling/docx", "docx"),
    ("office_docling/html", "html"),
    ("office_docling/pptx", "pptx"),
    ("office_docling/xlsx", "xlsx"),
    ("eml", "eml"),
    ("scans_simulated", "jpg"),
];

/// The files of one folder, sorted by name.
pub(crate) fn files(corpus: &Path, folder: &str, extension: &str) -> anyhow::Result<Vec<PathBuf>> {
    let path = corpus.join(folder);
    let entries = fs::read_dir(&path).with_context(|| format!("{} is missing", path.display()))?;
    let mut files: Vec<PathBuf> =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    files.retain(|path| path.extension().is_some_and(|found| found == extension));
    files.sort();
    Ok(files)
}

/// Where the pages of a file are stored.
pub(crate) fn pages_path(cache: &Path, folder: &str, file: &Path) -> PathBuf {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    cache.join(folder).join(format!("{name}.dkt"))
}

/// The stored parts of a document.
pub(crate) fn load(cache: &Path, folder: &str, file: &Path) -> anyhow::Result<Vec<Part>> {
    let path = pages_path(cache, folder, file);
    let stored = fs::File::open(&path)
        .with_context(|| format!("{} is missing: run `bench-extraction read`", path.display()))?;
    let mut reader = Reader::new(BufReader::new(stored))?;
    let mut parts = Vec::new();
    while let Some(part) = reader.next_part()? {
        parts.push(part);
    }
    Ok(parts)
}

pub(crate) fn pages(parts: &[Part]) -> impl Iterator<Item = &Page> {
    parts.iter().filter_map(|part| if let Part::Page(page) = part { Some(page) } else { None })
}

/// Reads every file that has no stored pages yet, two at a time.
pub(crate) fn read_all(corpus: &Path, cache: &Path, docket: &Path) -> anyhow::Result<()> {
    let mut missing = Vec::new();
    for (folder, extension) in FOLDERS.into_iter().chain(OTHERS) {
        fs::create_dir_all(cache.join(folder))?;
        for file in files(corpus, folder, extension)? {
            let to = pages_path(cache, folder, &file);
            if !to.exists() {
                missing.push((file, to));
            }
        }
    }
    writeln!(stderr(), "{} documents to read", missing.len())?;
    let queue = Mutex::new(missing.into_iter());
    let next = || queue.lock().ok().and_then(|mut queue| queue.next());
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    while let Some((file, to)) = next() {
                        read(docket, &file, &to)?;
                    }
                    anyhow::Ok(())
                })
            })
            .collect();
        workers.into_iter().try_for_each(|worker| match worker.join() {
            Ok(result) => result,
            Err(_) => bail!("a reader panicked"),
        })
    })
}

fn read(docket: &Path, file: &Path, to: &Path) -> anyhow::Result<()> {
    let output = Command::new(docket)
        .args(["read", "--format", "pages"])
        .arg(file)
        .output()
        .with_context(|| format!("{} does not start", docket.display()))?;
    if !output.status.success() {
        bail!("{}: {}", file.display(), String::from_utf8_lossy(&output.stderr));
    }
    let part = to.with_extension("part");
    fs::write(&part, output.stdout)?;
    fs::rename(part, to)?;
    Ok(())
}
