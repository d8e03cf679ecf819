//! Documents through nine stages that do nothing, from queued to succeeded.

use std::time::{Duration, Instant};

use tokio::sync::mpsc::unbounded_channel;

use super::rig::Rig;
use super::stages::{Nothing, names, wait_for, worker};
use crate::Bench;
use crate::machine::{FamilyTime, cpu_time};
use crate::report::{Figure, Target, Unit};

const NAME: &str = "engine pipeline";
const STAGES: [&str; 9] = ["s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9"];
const DOCUMENTS: i32 = 3000;
const ROOM: usize = 512;
const GRACE: Duration = Duration::from_secs(10);

pub(crate) async fn run(bench: &Bench) -> anyhow::Result<Vec<Figure>> {
    let mut rig = Rig::start(bench, "pipeline").await?;
    let stages = names(&STAGES)?;
    let (mut rates, mut own_cpu, mut postgres_cpu) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=bench.rounds {
        rig.fill(&stages, DOCUMENTS).await?;
        rig.tidy().await?;
        let (begun, mut seen) = unbounded_channel();
        let last = stages.last();
        let nothing = stages.iter().map(|name| Nothing {
            begun: (Some(name) == last).then(|| begun.clone()),
            ..Nothing::at_once(name, ROOM)
        });
        let worker = worker(&rig.store, nothing, ROOM)?;
        let before = cpu_time(&[std::process::id()]);
        let postgres = FamilyTime::begin(rig.postmaster());
        let started = Instant::now();
        let worker = worker.start();
        wait_for(&mut seen, DOCUMENTS).await;
        rig.wait_until_done().await?;
        let seconds = started.elapsed().as_secs_f64();
        let own = cpu_time(&[std::process::id()]).saturating_sub(before);
        let postgres = postgres.spent();
        worker.stop(GRACE).await;
        if round > 0 {
            let each = |spent: Duration| spent.as_secs_f64() * 1e6 / f64::from(DOCUMENTS);
            rates.push(f64::from(DOCUMENTS) / seconds);
            own_cpu.push(each(own));
            postgres_cpu.push(each(postgres));
        }
    }
    rig.stop().await?;
    Ok(vec![
        Figure::alone(NAME, "documents through nine stages", Unit::PerSecond, &rates)
            .with_target(Target::AtLeast(500.0)),
        Figure::alone(NAME, "Docket CPU per document", Unit::Microseconds, &own_cpu),
        Figure::alone(NAME, "PostgreSQL CPU per document", Unit::Microseconds, &postgres_cpu),
    ])
}
