//! Takes over stale runs.
//!
//! Expired leases release the jobs of a dead worker within seconds. This task covers the cases that leases cannot. A run
//! is *stale* when, and only when, it is queued or running, was not updated for as long as [`StaleAfter`] says, and
//!
//! - its job is leased without a heartbeat for that long, whenever the lease ends (the clock of the dead worker was
//!   ahead): the job becomes claimable again; or
//! - it has no pending or leased job (rows were restored or deleted by hand): the job of its next stage is created
//!   again, and a run whose stages have all succeeded is closed.
//!
//! A run whose job is pending, or waits for its next attempt, is not stale, however long that takes.

use std::sync::Arc;
use std::time::Duration;

use domain::{Clock, ClockUse};
use store::{StaleBefore, Store, StoreError};

use crate::scheduler::PeriodicTask;

/// Small enough not to block other transactions for long.
const BATCH_SIZE: u32 = 500;

/// After how long without an update a run is stale.
#[derive(Clone, Copy, Debug)]
pub struct StaleAfter {
    pub queued: Duration,
    pub running: Duration,
}

impl Default for StaleAfter {
    fn default() -> Self {
        Self { queued: Duration::from_hours(1), running: Duration::from_mins(15) }
    }
}

/// The periodic task that takes them over.
pub fn stale_runs(store: Store, clock: Arc<dyn Clock>, after: StaleAfter) -> PeriodicTask {
    PeriodicTask {
        name: "stale_runs",
        every: Duration::from_mins(1),
        timeout: Duration::from_mins(2),
        run: Arc::new(move || {
            let (store, clock) = (store.clone(), Arc::clone(&clock));
            Box::pin(async move {
                if let Err(error) = take_over(&store, clock.as_ref(), after).await {
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        "stale runs were not taken over; the next run of this task tries again"
                    );
                }
            })
        }),
    }
}

async fn take_over(store: &Store, clock: &dyn Clock, after: StaleAfter) -> Result<(), StoreError> {
    while let Some(now) = clock.now_for(ClockUse::Expire) {
        let stale = StaleBefore { queued: now - after.queued, running: now - after.running };
        let mut across = store.queue_transaction().await?;
        let taken = across.take_over_stale_runs(stale, now, BATCH_SIZE).await?;
        if taken > 0 && !across.confirms_time_for(ClockUse::Expire).await? {
            return across.rollback().await;
        }
        across.commit().await?;
        if taken == 0 {
            return Ok(());
        }
        tracing::warn!(runs = taken, "took over stale runs");
    }
    Ok(())
}
