//! Twenty thousand jobs that do nothing, through each queue. Docket's go through a real worker with
//! all that a stage leaves behind: stage row, lease, outbox event, two audit rows.

use std::io::{self, Write};
use std::time::Instant;

use domain::StageName;
use tokio::sync::mpsc::unbounded_channel;

use super::naive::Naive;
use super::peers::{self, Peer};
use super::rig::Rig;
use super::stages::{Nothing, names, wait_for, worker};
use crate::Bench;
use crate::machine::{FamilyTime, cpu_time};
use crate::report::{Figure, Target, Unit};

const NAME: &str = "engine throughput";
const JOBS: i32 = 20_000;
/// How many jobs the worker has under way.
const ROOM: usize = 1024;
const GRACE: std::time::Duration = std::time::Duration::from_secs(10);

/// What one turn of Docket's gave.
struct Turn {
    per_second: f64,
    own_cpu_us: f64,
    postgres_cpu_us: f64,
}

pub(crate) async fn run(bench: &Bench) -> anyhow::Result<Vec<Figure>> {
    let mut rig = Rig::start(bench, "throughput").await?;
    rig.create_database("peers").await?;
    let mut naive = Naive::prepare(rig.cluster()).await?;
    let mut peers = peers::start(bench, rig.cluster()).await?;
    let stages = names(&["one"])?;
    let mut ours = Vec::new();
    let mut theirs: Vec<Vec<f64>> = vec![Vec::new(); peers.len() + 1];
    for round in 0..=bench.rounds {
        let own = own_turn(&mut rig, &stages).await?;
        progress(round, "Docket", own.per_second);
        let mut turns = vec![naive_turn(&mut rig, &mut naive).await?];
        progress(round, "naive loop", turns[0]);
        for peer in &mut peers {
            let rate = peer_turn(&mut rig, peer).await?;
            progress(round, peer.name, rate);
            turns.push(rate);
        }
        if round > 0 {
            ours.push(own);
            theirs.iter_mut().zip(turns).for_each(|(all, turn)| all.push(turn));
        }
    }
    let names: Vec<&'static str> = peers.iter().map(|peer| peer.name).collect();
    drop(naive);
    for peer in peers {
        peer.stop().await?;
    }
    rig.stop().await?;
    Ok(figures(&ours, &names, &theirs))
}

/// Shows progress, because a round takes long.
fn progress(round: usize, who: &str, per_second: f64) {
    writeln!(io::stderr(), "  round {round}: {who} {per_second:.0}/s").ok();
}

fn figures(ours: &[Turn], peers: &[&'static str], theirs: &[Vec<f64>]) -> Vec<Figure> {
    let rates: Vec<f64> = ours.iter().map(|turn| turn.per_second).collect();
    let names = std::iter::once("naive loop").chain(peers.iter().copied());
    let mut figures: Vec<Figure> = names
        .zip(theirs)
        .map(|(name, theirs)| {
            let figure = Figure::alone(NAME, "one-stage jobs", Unit::PerSecond, &rates)
                .beside(name, &rates, theirs);
            match name {
                "graphile-worker" | "pg-boss" => figure.with_target(Target::AtLeast(3.0)),
                "graphile-worker, batched" => figure.with_target(Target::AtLeast(0.8)),
                _ => figure,
            }
        })
        .collect();
    let cpu = |what, of: fn(&Turn) -> f64| {
        let values: Vec<f64> = ours.iter().map(of).collect();
        Figure::alone(NAME, what, Unit::Microseconds, &values)
    };
    figures.push(cpu("Docket CPU per job", |turn| turn.own_cpu_us));
    figures.push(cpu("PostgreSQL CPU per job", |turn| turn.postgres_cpu_us));
    figures
}

async fn own_turn(rig: &mut Rig, stages: &[StageName]) -> anyhow::Result<Turn> {
    rig.fill(stages, JOBS).await?;
    rig.tidy().await?;
    let (begun, mut seen) = unbounded_channel();
    let nothing = stages
        .iter()
        .map(|name| Nothing { begun: Some(begun.clone()), ..Nothing::at_once(name, ROOM) });
    let worker = worker(&rig.store, nothing, ROOM)?;
    let before = cpu_time(&[std::process::id()]);
    let postgres = FamilyTime::begin(rig.postmaster());
    let started = Instant::now();
    let worker = worker.start();
    wait_for(&mut seen, JOBS).await;
    rig.wait_until_done().await?;
    let seconds = started.elapsed().as_secs_f64();
    let own = cpu_time(&[std::process::id()]).saturating_sub(before);
    let postgres = postgres.spent();
    worker.stop(GRACE).await;
    let each = |spent: std::time::Duration| spent.as_secs_f64() * 1e6 / f64::from(JOBS);
    Ok(Turn {
        per_second: f64::from(JOBS) / seconds,
        own_cpu_us: each(own),
        postgres_cpu_us: each(postgres),
    })
}

async fn naive_turn(rig: &mut Rig, naive: &mut Naive) -> anyhow::Result<f64> {
    naive.fill(JOBS).await?;
    rig.tidy().await?;
    Ok(f64::from(JOBS) / naive.work_off().await?)
}

async fn peer_turn(rig: &mut Rig, peer: &mut Peer) -> anyhow::Result<f64> {
    peer.fill(JOBS).await?;
    rig.tidy().await?;
    Ok(f64::from(JOBS) / peer.work_off(JOBS).await?)
}
