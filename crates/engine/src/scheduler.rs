//! Runs periodic tasks, each in one process at a time.
//!
//! The database stores when each task is due, so that the schedule survives restarts and all processes agree on it. A
//! task is cancelled when its lease ends: two runs of one task never overlap.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use domain::{ClockUse, Environment};
use store::{Store, StoreError};
use tokio_util::sync::CancellationToken;

pub type PeriodicTaskFuture = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A task that runs at regular intervals.
#[derive(Clone)]
pub struct PeriodicTask {
    pub name: &'static str,
    pub every: Duration,
    /// How long a run may take. After a crash, another process takes over when this time has passed.
    pub timeout: Duration,
    pub run: Arc<dyn Fn() -> PeriodicTaskFuture + Send + Sync>,
}

#[derive(Clone, Debug, Default)]
pub struct Scheduler {
    tasks: Vec<PeriodicTask>,
}

impl Scheduler {
    #[must_use]
    pub fn with(mut self, task: PeriodicTask) -> Self {
        self.tasks.push(task);
        self
    }

    /// Runs the tasks that are due, one after the other, every `poll_every`, until `stopping` fires.
    pub async fn run(
        &self,
        store: &Store,
        environment: &Environment,
        poll_every: Duration,
        stopping: CancellationToken,
    ) {
        let run = async {
            loop {
                if let Err(error) = self.run_due_tasks(store, environment).await {
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        "the tasks that are due could not be run"
                    );
                }
                tokio::time::sleep(poll_every).await;
            }
        };
        tokio::select! {
            () = stopping.cancelled() => {}
            () = run => {}
        }
    }

    /// Runs the tasks that are due once; returns their names.
    pub async fn run_due_tasks(
        &self,
        store: &Store,
        environment: &Environment,
    ) -> Result<Vec<&'static str>, StoreError> {
        let mut done = Vec::new();
        for task in &self.tasks {
            let Some(now) = environment.clock.now_for(ClockUse::Schedule) else { break };
            let mut across = store.across_tenants().await?;
            let until = now + task.timeout;
            let lease = across.begin_schedule(task.name, task.every, now, until).await?;
            across.commit().await?;
            let Some(lease) = lease else { continue };
            if tokio::time::timeout(task.timeout, (task.run)()).await.is_err() {
                tracing::error!(
                    task = task.name,
                    "the task exceeded its timeout and was cancelled"
                );
            }
            let mut across = store.across_tenants().await?;
            across.end_schedule(&lease, environment.clock.now()).await?;
            across.commit().await?;
            done.push(task.name);
        }
        Ok(done)
    }
}

impl fmt::Debug for PeriodicTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PeriodicTask")
            .field("name", &self.name)
            .field("every", &self.every)
            .finish_non_exhaustive()
    }
}
