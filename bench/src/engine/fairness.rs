//! What a tenant with ten thousand jobs does to one that has a single job now and then.

use std::time::{Duration, Instant};

use domain::TenantId;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::rig::{Rig, add_tenant, submit};
use super::stages::{Begun, Nothing, names, worker};
use super::{gaps, percentile};
use crate::Bench;
use crate::report::{Figure, Target, Unit, milliseconds};

const NAME: &str = "engine fairness";
const BACKLOG: i32 = 10_000;
const SINGLES: usize = 150;
const SLOTS: usize = 16;
/// Milliseconds between two single jobs: longer than one takes, so that there is one at a time.
const GAPS: (u64, u64) = (50, 90);
const GRACE: Duration = Duration::from_secs(10);

/// Between 10 and 40 ms: sixteen at once make the backlog last for longer than the singles take.
fn a_while() -> Duration {
    use std::sync::atomic::{AtomicU64, Ordering};
    static STATE: AtomicU64 = AtomicU64::new(1);
    let number = STATE.fetch_add(1, Ordering::Relaxed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    Duration::from_micros(10_000 + (number >> 32) % 30_000)
}

pub(crate) async fn run(bench: &Bench) -> anyhow::Result<Vec<Figure>> {
    let mut rig = Rig::start(bench, "fairness").await?;
    let other = add_tenant(&rig.store, "other").await?;
    let (begun, mut seen) = unbounded_channel();
    let stages = names(&["one"])?;
    let nothing = stages.iter().map(|name| Nothing {
        begun: Some(begun.clone()),
        lasts: Some(a_while),
        ..Nothing::at_once(name, SLOTS)
    });
    let worker = worker(&rig.store, nothing, SLOTS)?.start();
    let mut percentiles = [(50, Vec::new(), Vec::new()), (99, Vec::new(), Vec::new())];
    for round in 0..=bench.rounds {
        let alone = singles(&rig, other, &mut seen).await?;
        rig.fill(&stages, BACKLOG).await?;
        worker.wake();
        tokio::time::sleep(Duration::from_millis(500)).await;
        let beside = singles(&rig, other, &mut seen).await?;
        anyhow::ensure!(rig.has_work().await?, "the backlog was gone before the last single job");
        rig.wait_until_done().await?;
        for (percent, with, without) in percentiles.iter_mut().filter(|_| round > 0) {
            with.push(percentile(&beside, *percent));
            without.push(percentile(&alone, *percent));
        }
    }
    worker.stop(GRACE).await;
    rig.stop().await?;
    let [(_, p50, p50_alone), (_, p99, p99_alone)] = percentiles;
    let compare = |what, with: &[f64], without: &[f64]| {
        Figure::alone(NAME, what, Unit::Milliseconds, with).beside("alone", with, without)
    };
    Ok(vec![
        compare("single jobs beside 10,000, p50", &p50, &p50_alone),
        compare("single jobs beside 10,000, p99", &p99, &p99_alone)
            .with_target(Target::AtMost(2.0)),
    ])
}

/// How long each of a tenant's single jobs waits for the worker.
async fn singles(
    rig: &Rig,
    tenant_id: TenantId,
    seen: &mut UnboundedReceiver<Begun>,
) -> anyhow::Result<Vec<f64>> {
    let stages = names(&["one"])?;
    let mut waits = Vec::new();
    for gap in gaps(SINGLES, GAPS.0, GAPS.1) {
        tokio::time::sleep(Duration::from_millis(gap)).await;
        submit(&rig.store, tenant_id, &stages, 1).await?;
        let committed = Instant::now();
        let begun = loop {
            match seen.recv().await {
                Some((of, begun)) if of == tenant_id => break begun,
                Some(_) => {}
                None => anyhow::bail!("the worker is gone"),
            }
        };
        waits.push(milliseconds(begun.saturating_duration_since(committed)));
    }
    Ok(waits)
}
