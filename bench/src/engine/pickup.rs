//! How long a single job waits for a worker that has nothing to do: from the answer to its commit to
//! the first line of its handler.

use std::time::{Duration, Instant};

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::naive::Naive;
use super::peers;
use super::rig::{Rig, submit};
use super::stages::{Begun, Nothing, names, worker};
use super::{gaps, percentile};
use crate::Bench;
use crate::report::{Figure, Target, Unit, milliseconds};

const NAME: &str = "engine pick-up";
/// Jobs of each contestant in one round.
const JOBS: usize = 60;
const GRACE: Duration = Duration::from_secs(10);

pub(crate) async fn run(bench: &Bench) -> anyhow::Result<Vec<Figure>> {
    let mut rig = Rig::start(bench, "pickup").await?;
    rig.create_database("peers").await?;
    let mut naive = Naive::prepare(rig.cluster()).await?;
    let mut peers = peers::start(bench, rig.cluster()).await?;
    let gaps = gaps(JOBS, 20, 120);
    let mut ours = Vec::new();
    let mut theirs: Vec<Vec<f64>> = vec![Vec::new(); peers.len() + 1];
    for round in 0..=bench.rounds {
        let own = pick_up(&rig, &gaps).await?;
        let mut turns = vec![naive.pick_up(&gaps).await?];
        for peer in &mut peers {
            turns.push(peer.pick_up(&gaps).await?);
        }
        if round > 0 {
            ours.extend(own);
            theirs.iter_mut().zip(turns).for_each(|(all, turn)| all.extend(turn));
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

fn figures(ours: &[f64], peers: &[&'static str], theirs: &[Vec<f64>]) -> Vec<Figure> {
    let ms = Unit::Milliseconds;
    let (p50, p99) = ([percentile(ours, 50)], [percentile(ours, 99)]);
    let mut figures = vec![
        Figure::alone(NAME, "p50, idle", ms, &p50),
        Figure::alone(NAME, "p99, idle", ms, &p99).with_target(Target::AtMost(20.0)),
    ];
    let names = std::iter::once("naive loop").chain(peers.iter().copied());
    for (name, theirs) in names.zip(theirs) {
        let (their_p50, their_p99) = ([percentile(theirs, 50)], [percentile(theirs, 99)]);
        figures.push(Figure::alone(NAME, "p50, idle", ms, &p50).beside(name, &p50, &their_p50));
        figures.push(Figure::alone(NAME, "p99, idle", ms, &p99).beside(name, &p99, &their_p99));
    }
    figures
}

async fn pick_up(rig: &Rig, gaps: &[u64]) -> anyhow::Result<Vec<f64>> {
    let (begun, mut seen) = unbounded_channel();
    let stages = names(&["single"])?;
    let nothing = stages
        .iter()
        .map(|name| Nothing { begun: Some(begun.clone()), ..Nothing::at_once(name, 4) });
    let worker = worker(&rig.store, nothing, 16)?.start();
    // Until it listens.
    tokio::time::sleep(Duration::from_millis(200)).await;
    let mut waits = Vec::new();
    for gap in gaps {
        tokio::time::sleep(Duration::from_millis(*gap)).await;
        submit(&rig.store, rig.tenant_id, &stages, 1).await?;
        waits.push(wait_for_begin(&mut seen).await);
    }
    worker.stop(GRACE).await;
    Ok(waits)
}

/// From now on.
async fn wait_for_begin(seen: &mut UnboundedReceiver<Begun>) -> f64 {
    let committed = Instant::now();
    let begun = seen.recv().await.map_or(committed, |(_, begun)| begun);
    milliseconds(begun.saturating_duration_since(committed))
}
