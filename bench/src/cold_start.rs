//! From nothing to ready, and what a server costs that has nothing to do.
//!
//! *Ready* is when the address has been printed and `/readyz` has answered 200. A *first start*
//! finds no data folder. It runs as an ordinary user, so that unpacking PostgreSQL out of the binary
//! is part of it: root keeps the unpacked one in a place that outlives the data folder.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::getuid;
use tempfile::TempDir;

use crate::Bench;
use crate::docket::{Docket, NOBODY};
use crate::machine::{cpu_time, memory};
use crate::report::{Figure, Target, Unit, milliseconds};

const NAME: &str = "cold start";
const IDLE: Duration = Duration::from_secs(20);
/// Until the idle time begins: what the start has left to do.
const SETTLING: Duration = Duration::from_secs(3);

#[derive(Debug, Default)]
struct Times {
    first: Vec<f64>,
    existing: Vec<f64>,
    stop: Vec<f64>,
}

pub(crate) async fn run(bench: &Bench) -> anyhow::Result<Vec<Figure>> {
    let folder = folder_for_anybody()?;
    let binary = folder.path().join("docket");
    fs::copy(&bench.docket, &binary)?;
    let mut times = Times::default();
    for round in 0..=bench.rounds {
        let data_dir = folder.path().join(format!("data-{round}"));
        let (first, first_stop) = start_and_stop(&binary, &data_dir).await?;
        let (existing, stop) = start_and_stop(&binary, &data_dir).await?;
        fs::remove_dir_all(&data_dir)?;
        if round > 0 {
            times.first.push(first);
            times.existing.push(existing);
            times.stop.extend([first_stop, stop]);
        }
    }
    let ms = Unit::Milliseconds;
    let mut figures = vec![
        Figure::alone(NAME, "first start to ready", ms, &times.first)
            .with_target(Target::AtMost(3000.0)),
        Figure::alone(NAME, "start to ready, existing folder", ms, &times.existing)
            .with_target(Target::AtMost(1000.0)),
        Figure::alone(NAME, "stop", ms, &times.stop),
    ];
    figures.extend(idle(&binary, &folder.path().join("idle")).await?);
    Ok(figures)
}

/// Root's temporary folders are closed to the user that Docket is started as.
fn folder_for_anybody() -> anyhow::Result<TempDir> {
    let folder = TempDir::with_prefix("docket-bench-cold-")?;
    if getuid().is_root() {
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755))?;
        chown(folder.path(), Some(NOBODY), Some(NOBODY))?;
    }
    Ok(folder)
}

async fn start_and_stop(binary: &Path, data_dir: &Path) -> anyhow::Result<(f64, f64)> {
    let begun = Instant::now();
    let mut docket = Docket::start_unprivileged(binary, data_dir)?;
    docket.wait_until_ready().await?;
    let ready = begun.elapsed();
    let begun = Instant::now();
    docket.server.stop()?;
    Ok((milliseconds(ready), milliseconds(begun.elapsed())))
}

async fn idle(binary: &Path, data_dir: &Path) -> anyhow::Result<Vec<Figure>> {
    // A start that finds everything in place is the ordinary one.
    start_and_stop(binary, data_dir).await?;
    let docket = Docket::start_unprivileged(binary, data_dir)?;
    docket.wait_until_ready().await?;
    tokio::time::sleep(SETTLING).await;

    let (own, postgres) = (vec![docket.server.pid()], docket.postgres_pids()?);
    let (own_before, postgres_before) = (cpu_time(&own), cpu_time(&postgres));
    tokio::time::sleep(IDLE).await;
    let percent = |spent: Duration| spent.as_secs_f64() / IDLE.as_secs_f64() * 100.0;
    let own_percent = percent(cpu_time(&own).saturating_sub(own_before));
    let postgres_percent = percent(cpu_time(&postgres).saturating_sub(postgres_before));

    let (own, postgres) = (memory(&own)?, memory(&postgres)?);
    let figure = |what, unit, value| Figure::alone(NAME, what, unit, &[value]);
    Ok(vec![
        figure("idle memory, both (PSS)", Unit::Mebibytes, own.pss + postgres.pss),
        figure("idle memory, docket (PSS)", Unit::Mebibytes, own.pss),
        figure("idle memory, docket (RSS)", Unit::Mebibytes, own.rss),
        figure("idle memory, PostgreSQL (PSS)", Unit::Mebibytes, postgres.pss),
        figure("idle memory, PostgreSQL (RSS)", Unit::Mebibytes, postgres.rss),
        figure("idle CPU, docket", Unit::Percent, own_percent),
        figure("idle CPU, PostgreSQL", Unit::Percent, postgres_percent),
    ])
}
