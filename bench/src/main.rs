//! Measures Docket against its peers, on this machine, in one run.
//!
//! A *round* measures every contestant of a benchmark once, one right after the other; a *ratio* is
//! Docket's figure divided by its peer's in the same round. What is reported is the median over the
//! rounds, with the smallest and the largest. The first round warms up and does not count.
//!
//! Each benchmark is a module that takes a [`Bench`] and returns [`Figure`]s. One that needs real
//! documents takes them from the folder that `DOCKET_CORPUS` names.

mod bare_commits;
mod cold_start;
mod docket;
mod engine;
mod foundation_read;
mod foundation_write;
mod index_load;
mod intake;
mod load;
mod machine;
mod report;
mod searchable;
mod test_database;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use clap::{Parser, ValueEnum};
use tempfile::TempDir;
use tokio::signal::unix::{SignalKind, signal};

use crate::report::Figure;

/// Measures Docket and its peers.
#[derive(Debug, Parser)]
#[command(name = "bench/run")]
struct Cli {
    /// What to measure; everything by default.
    #[arg(value_enum)]
    benchmarks: Vec<Benchmark>,
    /// Also write the figures to this file.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Rounds that count.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// How long one contestant is under load in one round.
    #[arg(long, value_name = "SECONDS", default_value_t = 4)]
    load_seconds: u64,
    /// The binary to measure.
    #[arg(long, value_name = "FILE", env = "DOCKET_BENCH_BINARY")]
    docket: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Benchmark {
    FoundationRead,
    FoundationWrite,
    ColdStart,
    EngineThroughput,
    EnginePickup,
    EnginePipeline,
    EngineGrowth,
    EngineFairness,
    EngineIdle,
    IntakeLarge,
    IntakeSmall,
    IntakeMemory,
    IntakeListing,
    Searchable,
    IndexLoad,
    TestDatabase,
}

/// What every benchmark works with.
#[derive(Debug)]
struct Bench {
    docket: PathBuf,
    /// Removed at the end.
    folder: TempDir,
    rounds: usize,
    load: Duration,
}

impl Bench {
    /// The connections that a server is under load from.
    const CONNECTIONS: usize = 32;

    async fn run(&self, benchmark: Benchmark) -> anyhow::Result<Vec<Figure>> {
        match benchmark {
            Benchmark::FoundationRead => foundation_read::run(self).await,
            Benchmark::FoundationWrite => foundation_write::run(self).await,
            Benchmark::ColdStart => cold_start::run(self).await,
            Benchmark::EngineThroughput => engine::throughput(self).await,
            Benchmark::EnginePickup => engine::pickup(self).await,
            Benchmark::EnginePipeline => engine::pipeline(self).await,
            Benchmark::EngineGrowth => engine::growth(self).await,
            Benchmark::EngineFairness => engine::fairness(self).await,
            Benchmark::EngineIdle => engine::idle(self).await,
            Benchmark::IntakeLarge => intake::large(self).await,
            Benchmark::IntakeSmall => intake::small(self).await,
            Benchmark::IntakeMemory => intake::memory(self).await,
            Benchmark::IntakeListing => intake::listing(self).await,
            Benchmark::Searchable => searchable::run(self).await,
            Benchmark::IndexLoad => index_load::run(self).await,
            Benchmark::TestDatabase => test_database::run(self).await,
        }
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    match measure_until_stopped(Cli::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            writeln!(io::stderr(), "error: {error:#}").ok();
            ExitCode::FAILURE
        }
    }
}

async fn measure_until_stopped(cli: Cli) -> anyhow::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    // Dropped in the middle, a benchmark stops the processes it has started.
    tokio::select! {
        done = measure(cli) => done,
        _ = terminate.recv() => bail!("stopped by SIGTERM"),
        _ = interrupt.recv() => bail!("stopped by SIGINT"),
    }
}

async fn measure(cli: Cli) -> anyhow::Result<()> {
    let bench = Bench {
        docket: cli
            .docket
            .canonicalize()
            .with_context(|| format!("no {}", cli.docket.display()))?,
        folder: TempDir::with_prefix("docket-bench-")?,
        rounds: cli.rounds,
        load: Duration::from_secs(cli.load_seconds),
    };
    let chosen = if cli.benchmarks.is_empty() {
        Benchmark::value_variants().to_vec()
    } else {
        cli.benchmarks
    };
    let (mut figures, mut failed) = (Vec::new(), Vec::new());
    for benchmark in chosen {
        let name = benchmark.to_possible_value().context("every benchmark has a name")?;
        writeln!(io::stderr(), "measuring {} …", name.get_name())?;
        match bench.run(benchmark).await {
            Ok(measured) => figures.extend(measured),
            // What was measured is shown all the same.
            Err(error) => {
                writeln!(io::stderr(), "error: {} failed: {error:#}", name.get_name())?;
                failed.push(name.get_name().to_owned());
            }
        }
    }
    let machine = machine::describe()?;
    write!(io::stdout(), "{machine}\n\n{}", report::table(&figures))?;
    if let Some(file) = cli.json {
        let document = report::document(&machine, &figures);
        std::fs::write(&file, format!("{document:#}\n"))
            .with_context(|| format!("cannot write {}", file.display()))?;
    }
    ensure!(failed.is_empty(), "not measured: {}", failed.join(", "));
    Ok(())
}
