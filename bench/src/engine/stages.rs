//! Stages that do nothing, and workers that have them.

use std::time::{Duration, Instant};

use domain::{StageName, TenantId};
use engine::{
    Stage, StageFuture, StageInput, StageOutput, StageSettings, Stages, Worker, WorkerSettings,
};
use store::Store;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

use super::rig::environment;

/// What a stage says when it begins.
pub(super) type Begun = (TenantId, Instant);

/// Says that it has begun, waits for a while, and is done.
pub(super) struct Nothing {
    pub(super) name: StageName,
    pub(super) settings: StageSettings,
    pub(super) begun: Option<UnboundedSender<Begun>>,
    pub(super) lasts: Option<fn() -> Duration>,
}

impl Stage for Nothing {
    fn name(&self) -> &StageName {
        &self.name
    }

    fn settings(&self) -> &StageSettings {
        &self.settings
    }

    fn run<'a>(&'a self, work: &'a StageInput) -> StageFuture<'a> {
        if let Some(begun) = &self.begun {
            // The receiver is gone when the measurement is over.
            begun.send((work.tenant_id, Instant::now())).ok();
        }
        Box::pin(async {
            if let Some(lasts) = self.lasts {
                tokio::time::sleep(lasts()).await;
            }
            Ok(StageOutput::default())
        })
    }
}

impl Nothing {
    pub(super) fn at_once(name: &StageName, concurrency: usize) -> Self {
        let settings = StageSettings { concurrency, ..Default::default() };
        Self { name: name.clone(), settings, begun: None, lasts: None }
    }
}

/// Returns when so many have begun: until then no query for their state is needed.
pub(super) async fn wait_for(seen: &mut UnboundedReceiver<Begun>, count: i32) {
    for _ in 0..count {
        seen.recv().await;
    }
}

pub(super) fn names(names: &[&str]) -> anyhow::Result<Vec<StageName>> {
    names
        .iter()
        .map(|name| name.parse().map_err(|_| anyhow::anyhow!("no stage {name:?}")))
        .collect()
}

/// A worker with room for `jobs` jobs.
pub(super) fn worker(
    store: &Store,
    stages: impl IntoIterator<Item = Nothing>,
    jobs: usize,
) -> anyhow::Result<Worker> {
    let stages = stages.into_iter().fold(Stages::default(), Stages::with);
    let settings = WorkerSettings { max_jobs: jobs, ..WorkerSettings::named("bench") };
    Ok(Worker::new(store.clone(), stages, environment(), settings)?)
}
