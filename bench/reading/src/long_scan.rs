//! A scan of thousands of pages through a real server: does it pass, how fast, and in how much memory?
//!
//! The scan is made here, page by page. What is measured is the server, its reading children and the programs
//! that those start; PostgreSQL, which larger installations run separately, is measured separately. Documents and
//! pictures in memory files belong to no process, and are counted by their descriptors.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

use anyhow::Context;
use clap::Args;
use serde_json::Value;
use testkit::samples::{Paper, ScanWriter};

use crate::processes::{Peaks, Watch};
use crate::server::{self, PASSWORD, Server};

const MOST_MIB: u64 = 1_024;
const LINES: usize = 22;
const LETTERS: usize = 40;
const VOCABULARY: [&str; 24] = [
    "THE", "TENANT", "PAYS", "RENT", "ON", "FIRST", "DAY", "OF", "EVERY", "MONTH", "AND", "KEEPS",
    "HOUSE", "IN", "GOOD", "ORDER", "UNTIL", "CONTRACT", "ENDS", "INVOICE", "TOTAL", "AMOUNT",
    "DUE", "WITHIN",
];

#[derive(Debug, Args)]
pub(crate) struct LongScanArgs {
    /// How many pages the scan has, for the part `long-scan`.
    #[arg(long, value_name = "N", default_value_t = 3_000)]
    pages: u32,
}

pub(crate) fn measure(args: &LongScanArgs, docket: Option<&Path>) -> anyhow::Result<()> {
    let docket = server::binary(docket)?;
    let folder = tempfile::tempdir()?;
    let scan = folder.path().join("scan.pdf");
    write_scan(&scan, args.pages)?;
    let size = scan.metadata()?.len();
    let largest = (size / (1 << 20) + 1).max(50).to_string();
    let server = Server::start(&docket, folder.path(), &[("DOCKET_UPLOAD_MAX_SIZE_MB", largest)])?;
    let (outcome, peaks, seconds) = submit_file(&server, &scan)?;
    report(args.pages, size, &outcome, &peaks, seconds)
}

/// What became of the scan, what it took, and how long.
fn submit_file(server: &Server, scan: &Path) -> anyhow::Result<(Value, Peaks, f64)> {
    let login = server
        .command(&["login", "--server", &server.address])
        .env("DOCKET_PASSWORD", PASSWORD)
        .stdout(Stdio::null())
        .status()?;
    anyhow::ensure!(login.success(), "the sign-in failed");
    let (begun, watch) = (Instant::now(), Watch::begin(server.pid()));
    let mut ingest = server.command(&["ingest", "--wait", "--json"]);
    let ingest = ingest.arg(scan).stderr(Stdio::inherit()).output()?;
    let (seconds, peaks) = (begun.elapsed().as_secs_f64(), watch.end());
    let said = String::from_utf8(ingest.stdout)?;
    let last = said.lines().last().context("`docket ingest` said nothing")?;
    Ok((serde_json::from_str(last)?, peaks, seconds))
}

fn write_scan(path: &Path, pages: u32) -> anyhow::Result<()> {
    let mut scan = ScanWriter::new(BufWriter::new(File::create(path)?), Paper::A4)?;
    let mut word = 0;
    for number in 1..=pages {
        let mut lines = vec![format!("PAGE {number}")];
        while lines.len() < LINES {
            let mut line = String::new();
            while line.len() < LETTERS - 9 {
                // Not the same on any two pages, and not in any order.
                word = (word * 13 + number as usize + 7) % 9_973;
                line.extend([VOCABULARY[word % VOCABULARY.len()], " "]);
            }
            lines.push(line);
        }
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        scan.page(&lines)?;
    }
    scan.finish()?;
    Ok(())
}

fn report(
    pages: u32,
    size: u64,
    outcome: &Value,
    peaks: &Peaks,
    seconds: f64,
) -> anyhow::Result<()> {
    let mut to = io::stdout().lock();
    let succeeded = outcome["summary"]["processed"]["succeeded"] == 1;
    let whole = peaks.all >> 20;
    writeln!(to, "a scan of {pages} pages, {} kB", size / 1_000)?;
    writeln!(to, "  {:<28}{}", "succeeded", if succeeded { "yes" } else { "NO" })?;
    writeln!(to, "  {:<28}{:>8.2} ({seconds:.0} s)", "pages/s", f64::from(pages) / seconds)?;
    let verdict = if whole <= MOST_MIB { "reached" } else { "MISSED" };
    let target = format!("(target ≤ {MOST_MIB}: {verdict})");
    writeln!(to, "  {:<28}{whole:>8} MiB {target}", "all of it, at most")?;
    for (name, bytes) in [
        ("the server alone", peaks.server),
        ("its largest child", peaks.largest_child),
        ("memory files", peaks.memory_files),
        ("PostgreSQL, besides", peaks.postgres),
    ] {
        writeln!(to, "  {name:<28}{:>8} MiB", bytes >> 20)?;
    }
    let quarters: Vec<String> =
        peaks.server_by_quarter().iter().map(|bytes| (bytes >> 20).to_string()).collect();
    writeln!(to, "  {:<28}{} MiB", "the server by quarters", quarters.join(", "))?;
    if !succeeded {
        writeln!(to, "  {outcome}")?;
    }
    Ok(())
}
