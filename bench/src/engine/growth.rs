//! A claim with a million finished jobs in the table beside one with a thousand.

use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::{Clock, TenantId};
use store::{JobClaim, LeaseRef, Outcome, Report, StageSlots};
use uuid::Uuid;

use super::rig::{Machine, Rig};
use super::stages::names;
use crate::Bench;
use crate::report::{Figure, Target, Unit, milliseconds};

const NAME: &str = "engine growth";
const FEW: i32 = 1000;
const MANY: i32 = 1_000_000;
/// Added at once: the statement that adds them holds them all in memory.
const PORTION: i32 = 50_000;
const BATCH: u8 = 100;
/// Claims of each in one round.
const CLAIMS: usize = 20;

pub(crate) async fn run(bench: &Bench) -> anyhow::Result<Vec<Figure>> {
    let mut few = with_finished(bench, "growth-few", FEW).await?;
    let mut many = with_finished(bench, "growth-many", MANY).await?;
    let (mut with_few, mut with_many) = (Vec::new(), Vec::new());
    for round in 0..=bench.rounds {
        let (mut few_now, mut many_now) = (Vec::new(), Vec::new());
        for _ in 0..CLAIMS {
            few_now.push(claim_once(&mut few).await?);
            many_now.push(claim_once(&mut many).await?);
        }
        if round > 0 {
            with_few.push(super::percentile(&few_now, 50));
            with_many.push(super::percentile(&many_now, 50));
        }
    }
    few.stop().await?;
    many.stop().await?;
    Ok(vec![
        Figure::alone(NAME, "claim of 100, a million finished", Unit::Milliseconds, &with_many)
            .beside("with a thousand", &with_many, &with_few)
            .with_target(Target::AtMost(1.2)),
    ])
}

async fn with_finished(bench: &Bench, name: &str, finished: i32) -> anyhow::Result<Rig> {
    let mut rig = Rig::start(bench, name).await?;
    let mut left = finished;
    while left > 0 {
        rig.add_finished(left.min(PORTION)).await?;
        left -= PORTION;
    }
    rig.tidy().await?;
    Ok(rig)
}

/// How long one claim takes; what is claimed is finished afterwards, outside the measurement.
async fn claim_once(rig: &mut Rig) -> anyhow::Result<f64> {
    let stages = names(&["one"])?;
    rig.fill(&stages, BATCH.into()).await?;
    let begun = Instant::now();
    let now = Machine.now();
    let slots: Vec<StageSlots> = stages
        .into_iter()
        .map(|stage| StageSlots {
            stage,
            count: BATCH.into(),
            is_reserved: false,
            last_tenant: TenantId(Uuid::nil()),
            lease_until: now + Duration::from_mins(10),
        })
        .collect();
    let claim = JobClaim {
        stages: &slots,
        max_jobs: BATCH.into(),
        busy_tenants: &[],
        worker_id: "bench",
        now,
    };
    let mut across = rig.store.queue_transaction().await?;
    let jobs = across.claim_jobs(&claim).await?;
    across.commit().await?;
    let took = milliseconds(begun.elapsed());
    anyhow::ensure!(jobs.len() == usize::from(BATCH), "claimed {} jobs", jobs.len());

    let outcome = Outcome::Succeeded { output: Arc::default(), next: None };
    let report = |held| Report { lease: held, outcome: outcome.clone() };
    let held = jobs.iter().map(|job| LeaseRef { job_id: job.job_id, token: job.token });
    let reports: Vec<Report> = held.map(report).collect();
    let mut across = rig.store.queue_transaction().await?;
    across.settle_jobs(&reports, Machine.now()).await?;
    across.commit().await?;
    Ok(took)
}
