//! Pages in a second: reading and layout, against the bare library's loop over the same files (both by
//! CPU time), and against other readers (by the clock).

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::anyhow;

use crate::pdf::{pages_of, pdfs_in};

const FOLDERS: [&str; 4] =
    ["pdf_text/pdfbox", "pdf_text/icdar2013_tables", "contracts_cuad", "invoices"];
const ROUNDS: u32 = 5;

pub(crate) fn measure(corpus: &Path) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    let mut files = Vec::new();
    for folder in FOLDERS {
        let found = pdfs_in(&corpus.join(folder))?;
        if found.is_empty() {
            writeln!(out, "SPEED: {folder} IS NOT THERE")?;
        }
        files.extend(found);
    }
    let documents = files.iter().map(std::fs::read).collect::<Result<Vec<_>, _>>()?;
    // In turns, so that a busy moment of the machine hits both; the best round of each counts.
    let (mut pages, mut ours, mut bare) = (0, Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        let begin = cpu_time();
        pages = documents.iter().map(|bytes| pages_of(bytes).map_or(0, |pages| pages.len())).sum();
        ours = ours.min(cpu_time().saturating_sub(begin));
        let begin = cpu_time();
        for bytes in &documents {
            // What cannot be opened is left out by both.
            let _ = bare_library(bytes);
        }
        bare = bare.min(cpu_time().saturating_sub(begin));
    }
    let rate = |time: Duration| f64::from(u32::try_from(pages).unwrap_or(0)) / time.as_secs_f64();
    writeln!(out, "speed, {pages} pages of {} files:", files.len())?;
    writeln!(out, "  reading and layout {:.0} pages/s", rate(ours))?;
    writeln!(
        out,
        "  the bare library   {:.0} pages/s; ours is {:.2} of it",
        rate(bare),
        rate(ours) / rate(bare)
    )?;
    for peer in ["pdftotext", "pdf2txt.py", "markitdown"] {
        match timed(peer, &files) {
            Some(time) => {
                let times = rate(ours) / rate(time);
                writeln!(out, "  {peer} {:.1} pages/s; ours is {times:.1} times that", rate(time))?;
            }
            None => writeln!(
                out,
                "  {}: LEFT OUT, IT IS NOT INSTALLED (Debian: poppler-utils; scripts/python-tool \
                 pdfminer pdf2txt.py; scripts/python-tool markitdown)",
                peer.to_uppercase()
            )?,
        }
    }
    Ok(())
}

/// What this thread has used of the processor, by the kernel's count.
fn cpu_time() -> Duration {
    let counted = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = counted.and_then(|text| text.split_whitespace().next()?.parse().ok());
    nanoseconds.map_or(Duration::ZERO, Duration::from_nanos)
}

fn bare_library(bytes: &[u8]) -> anyhow::Result<usize> {
    let library = reading::pdfium::open()?;
    let document =
        library.load_pdf_from_byte_slice(bytes, None).map_err(|error| anyhow!("{error:?}"))?;
    let mut length = 0;
    for page in document.pages().iter() {
        length += page.text().map_or(0, |text| text.all().len());
    }
    Ok(length)
}

/// A program that `scripts/python-tool` installed, or one on the PATH.
fn program(name: &str) -> PathBuf {
    let installed = reading::tools::folder().map(|tools| tools.join("bin").join(name));
    installed.filter(|file| file.is_file()).unwrap_or_else(|| PathBuf::from(name))
}

/// One process for each file, as these programs are used; their start is part of it.
fn timed(name: &str, files: &[PathBuf]) -> Option<Duration> {
    let begin = Instant::now();
    for file in files {
        let mut command = Command::new(program(name));
        command.arg(file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if name == "pdftotext" {
            command.arg("-");
        }
        command.status().ok()?;
    }
    Some(begin.elapsed())
}
