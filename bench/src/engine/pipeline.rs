//! Documents through nine stages that do nothing, from queued to succeeded.

use std::time::{Duration, Instant};

use super::rig::Rig;
use super::stages::{Nothing, names, worker};
use crate::Bench;
use crate::machine::{cpu_time, family_of};
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
        let nothing = stages.iter().map(|name| Nothing::at_once(name, ROOM));
        let worker = worker(&rig.store, nothing, ROOM)?;
        let (own, postmaster) = ([std::process::id()], rig.postmaster());
        let cpu = || (cpu_time(&own), cpu_time(&family_of(postmaster)));
        let before = cpu();
        let begun = Instant::now();
        let worker = worker.start();
        rig.wait_until_done().await?;
        let seconds = begun.elapsed().as_secs_f64();
        let after = cpu();
        worker.stop(GRACE).await;
        if round > 0 {
            let each = |spent: Duration| spent.as_secs_f64() * 1e6 / f64::from(DOCUMENTS);
            rates.push(f64::from(DOCUMENTS) / seconds);
            own_cpu.push(each(after.0.saturating_sub(before.0)));
            postgres_cpu.push(each(after.1.saturating_sub(before.1)));
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
