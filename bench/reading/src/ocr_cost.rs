//! What OCR costs in CPU time, and how much of it the policy saves.

use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use reading::ocr::tesseract;

use crate::scans::{self, Way};

/// Linux counts in hundredths of a second for every program, whatever the kernel's own tick is.
const TICKS_PER_SECOND: f64 = 100.0;

pub(crate) fn report(corpus: &Path, each: bool) -> anyhow::Result<()> {
    let measured = scans::measure(corpus, each)?;
    let sum = |way: Way| {
        let index = Way::ALL.iter().position(|other| *other == way).unwrap_or(0);
        measured.iter().map(|folder| folder.totals[index].cpu_seconds).sum::<f64>()
    };
    let pages: u32 = measured.iter().map(|folder| folder.pages).sum();
    let mut out = io::stdout();
    writeln!(out, "\nCPU seconds per page, {pages} pages")?;
    for way in Way::ALL {
        writeln!(out, "{:<18} {:>8.2}", way.name(), sum(way) / f64::from(pages.max(1)))?;
    }
    let ratio = sum(Way::ByPolicy) / sum(Way::BothEverywhere);
    writeln!(out, "by policy, of both everywhere: {ratio:.2}")?;
    for folder in measured {
        let loss = folder.totals[2].tokens.f1() - folder.totals[3].tokens.f1();
        writeln!(out, "token F1 lost by policy on {}: {loss:.4}", folder.folder)?;
    }
    Ok(())
}

/// Measures the CPU time of this process and of the children it has waited for.
pub(crate) struct CpuClock {
    started: f64,
}

impl CpuClock {
    pub(crate) fn start() -> anyhow::Result<Self> {
        Ok(Self { started: cpu_seconds()? })
    }

    pub(crate) fn seconds(&self) -> anyhow::Result<f64> {
        Ok(cpu_seconds()? - self.started)
    }
}

fn cpu_seconds() -> anyhow::Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    // The program's name, in brackets, may hold anything; numbers follow the last bracket.
    let (_, numbers) = stat.rsplit_once(')').context("/proc/self/stat without a name")?;
    let times = numbers.split_whitespace().skip(11).take(4);
    let ticks = times.map(str::parse::<f64>).sum::<Result<f64, _>>()?;
    Ok(ticks / TICKS_PER_SECOND)
}

/// Runs the program on an encoded picture and gives its TSV.
pub(crate) fn run_tesseract(picture: &[u8]) -> anyhow::Result<String> {
    let mut child = Command::new(tesseract::PROGRAM)
        .args(tesseract::command_arguments("eng", None))
        .envs(tesseract::ENVIRONMENT.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .context("tesseract is not there: run scripts/ocr-models")?;
    let mut input = child.stdin.take().context("no standard input")?;
    let picture = picture.to_vec();
    let writer = std::thread::spawn(move || input.write_all(&picture));
    let answer = child.wait_with_output()?;
    if writer.join().is_err() || !answer.status.success() {
        bail!("tesseract failed: {}", answer.status);
    }
    Ok(String::from_utf8(answer.stdout)?)
}
