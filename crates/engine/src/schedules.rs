//! Things that happen again and again, by one process at a time.
//!
//! What is due when stands in the database, so that it survives restarts and all processes agree on
//! it. A chore is cut off when its lease ends: it never overlaps with its own next time.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use domain::{ClockUse, Environment};
use store::{Store, StoreError};
use tokio_util::sync::CancellationToken;

pub type ChoreFuture = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Something to do every so often.
#[derive(Clone)]
pub struct Chore {
    pub name: &'static str,
    pub every: Duration,
    /// How long it may take; after a crash, how long until somebody else takes it up.
    pub longest: Duration,
    pub run: Arc<dyn Fn() -> ChoreFuture + Send + Sync>,
}

#[derive(Clone, Debug, Default)]
pub struct Schedules {
    chores: Vec<Chore>,
}

impl Schedules {
    #[must_use]
    pub fn with(mut self, chore: Chore) -> Self {
        self.chores.push(chore);
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
        for chore in &self.chores {
            let Some(now) = environment.clock.now_for(ClockUse::Schedule) else { break };
            let mut across = store.across_tenants().await?;
            let until = now + chore.longest;
            let begun = across.begin_schedule(chore.name, chore.every, now, until).await?;
            across.commit().await?;
            let Some(begun) = begun else { continue };
            if tokio::time::timeout(chore.longest, (chore.run)()).await.is_err() {
                tracing::error!(chore = chore.name, "took too long and was cut off");
            }
            let mut across = store.across_tenants().await?;
            across.end_schedule(&begun, environment.clock.now()).await?;
            across.commit().await?;
            done.push(chore.name);
        }
        Ok(done)
    }
}

impl fmt::Debug for Chore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chore")
            .field("name", &self.name)
            .field("every", &self.every)
            .finish_non_exhaustive()
    }
}
