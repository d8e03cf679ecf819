//! A scan of thousands of pages through a real server: does it pass, how fast, and in how much memory?
//!
//! The scan is made here, page by page. What is measured is the server, its reading children and the programs
//! that those start; PostgreSQL, which is somebody else's in larger installations, is told apart. Documents and
//! pictures in memory files belong to no process, and are counted by their descriptors.

mod processes;

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use anyhow::{Context, bail};
use clap::Args;
use serde_json::Value;
use testkit::samples::{Paper, ScanWriter};

use processes::{Peaks, Watch};

const PASSWORD: &str = "a password for a benchmark";
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
    let docket = docket.context(
        "name the binary to measure: --docket target/release/docket, or DOCKET_BENCH_BINARY",
    )?;
    let docket = docket.canonicalize().with_context(|| docket.display().to_string())?;
    let folder = tempfile::tempdir()?;
    let scan = folder.path().join("scan.pdf");
    write_scan(&scan, args.pages)?;
    let size = scan.metadata()?.len();
    let bench = Bench { docket, folder: folder.path().to_owned() };
    let (mut server, address) = bench.serve(size)?;
    let measured = bench.hand_in(&address, &scan, server.id());
    server.kill().ok();
    server.wait()?;
    let (outcome, peaks, seconds) = measured?;
    report(args.pages, size, &outcome, &peaks, seconds)
}

struct Bench {
    docket: PathBuf,
    folder: PathBuf,
}

impl Bench {
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.docket);
        command.args(arguments).env("DOCKET_CONFIG_HOME", self.folder.join("home"));
        command.env("DOCKET_LOG_LEVEL", "warn");
        command
    }

    /// The server, and where it answers.
    fn serve(&self, document: u64) -> anyhow::Result<(Child, String)> {
        let data = self.folder.join("data");
        let mut server = self
            .command(&["serve", "--listen", "127.0.0.1:0"])
            .env("DOCKET_DATA_DIR", data)
            .env("DOCKET_ADMIN_PASSWORD", PASSWORD)
            .env("DOCKET_UPLOAD_MAX_SIZE_MB", (document / (1 << 20) + 1).max(50).to_string())
            .stdout(Stdio::piped())
            .spawn()
            .context("the server cannot be started")?;
        let said = BufReader::new(server.stdout.take().context("no standard output")?);
        for line in said.lines() {
            if let Some((_, address)) = line?.split_once("Docket is ready at ") {
                return Ok((server, address.to_owned()));
            }
        }
        server.wait()?;
        bail!("the server did not start")
    }

    /// What became of the scan, what it took, and how long.
    fn hand_in(
        &self,
        address: &str,
        scan: &Path,
        server: u32,
    ) -> anyhow::Result<(Value, Peaks, f64)> {
        let login = self
            .command(&["login", "--server", address])
            .env("DOCKET_PASSWORD", PASSWORD)
            .stdout(Stdio::null())
            .status()?;
        anyhow::ensure!(login.success(), "nobody can sign in");
        let (begun, watch) = (Instant::now(), Watch::begin(server));
        let mut ingest = self.command(&["ingest", "--wait", "--json"]);
        let ingest = ingest.arg(scan).stderr(Stdio::inherit()).output()?;
        let (seconds, peaks) = (begun.elapsed().as_secs_f64(), watch.end());
        let said = String::from_utf8(ingest.stdout)?;
        let last = said.lines().last().context("`docket ingest` said nothing")?;
        Ok((serde_json::from_str(last)?, peaks, seconds))
    }
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
