//! What waiting for work costs, over a minute: a worker with nine stages in this process, which does
//! nothing else meanwhile, and `docket serve` as users start it.

use std::time::Duration;

use super::rig::Rig;
use super::stages::{Nothing, names, worker};
use crate::Bench;
use crate::docket::Docket;
use crate::machine::{cpu_time, family_of};
use crate::report::{Figure, Target, Unit};

const NAME: &str = "engine idle";
const STAGES: [&str; 9] = ["s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9"];
const MINUTE: Duration = Duration::from_mins(1);
/// Until the minute begins: what the start has left to do.
const SETTLING: Duration = Duration::from_secs(5);
const GRACE: Duration = Duration::from_secs(10);

pub(crate) async fn run(bench: &Bench) -> anyhow::Result<Vec<Figure>> {
    let rig = Rig::start(bench, "idle").await?;
    let stages = names(&STAGES)?;
    let nothing = stages.iter().map(|name| Nothing::at_once(name, 4));
    let waiting = worker(&rig.store, nothing, 16)?.start();
    let docket = Docket::start(&bench.docket, &bench.folder.path().join("idle-serve"))?;
    docket.wait_until_ready().await?;
    tokio::time::sleep(SETTLING).await;

    let measured = [
        vec![std::process::id()],
        family_of(rig.postmaster()),
        vec![docket.server.pid()],
        docket.postgres_pids()?,
    ];
    let before = measured.each_ref().map(|pids| cpu_time(pids));
    tokio::time::sleep(MINUTE).await;
    let after = measured.each_ref().map(|pids| cpu_time(pids));
    waiting.stop(GRACE).await;
    drop(docket);
    rig.stop().await?;

    let percent = |who: usize| {
        let spent = after[who].saturating_sub(before[who]);
        [spent.as_secs_f64() / MINUTE.as_secs_f64() * 100.0]
    };
    let figure = |what, who| Figure::alone(NAME, what, Unit::Percent, &percent(who));
    Ok(vec![
        figure("a worker that waits", 0).with_target(Target::AtMost(0.5)),
        figure("its PostgreSQL", 1),
        figure("docket serve", 2).with_target(Target::AtMost(0.5)),
        figure("its PostgreSQL", 3),
    ])
}
