//! Things that happen again and again, by one process at a time.
//!
//! What is due when stands in the database, so that it survives restarts and all processes agree on
//! it. A task is cut off when its lease ends: it never overlaps with its own next time.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use domain::{ClockUse, Environment};
use store::{Store, StoreError};
use tokio_util::sync::CancellationToken;

pub type PeriodicTaskFuture = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Something to do every so often.
#[derive(Clone)]
pub struct PeriodicTask {
    pub name: &'static str,
    pub every: Duration,
    /// How long it may take; after a crash, how long until somebody else takes it up.
    pub longest: Duration,
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

    /// Does what is due, one after the other, and looks again every `poll_every`, until `stopping`.
    pub async fn keep(
        &self,
        store: &Store,
        environment: &Environment,
        poll_every: Duration,
        stopping: CancellationToken,
    ) {
        let keep = async {
            loop {
                if let Err(error) = self.do_what_is_due(store, environment).await {
                    tracing::warn!(error = &error as &dyn std::error::Error, "a schedule waits");
                }
                tokio::time::sleep(poll_every).await;
            }
        };
        tokio::select! {
            () = stopping.cancelled() => {}
            () = keep => {}
        }
    }

    /// Returns the names of what was done.
    pub async fn do_what_is_due(
        &self,
        store: &Store,
        environment: &Environment,
    ) -> Result<Vec<&'static str>, StoreError> {
        let mut done = Vec::new();
        for task in &self.tasks {
            let Some(now) = environment.clock.now_for(ClockUse::Schedule) else { break };
            let mut across = store.across_tenants().await?;
            let until = now + task.longest;
            let begun = across.begin_schedule(task.name, task.every, now, until).await?;
            across.commit().await?;
            let Some(begun) = begun else { continue };
            if tokio::time::timeout(task.longest, (task.run)()).await.is_err() {
                tracing::error!(task = task.name, "took too long and was cut off");
            }
            let mut across = store.across_tenants().await?;
            across.end_schedule(&begun, environment.clock.now()).await?;
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
