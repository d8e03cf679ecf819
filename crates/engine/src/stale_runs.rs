//! Takes over runs that nobody works on any more.
//!
//! Leases take back the work of a dead worker within seconds. This is the second net, for what a lease
//! cannot see. A run is *stale* when, and only when, it is queued or running and has shown no sign of
//! life for as long as [`StaleAfter`] says, and
//!
//! - its job is leased, with no heartbeat for that long either, whatever the lease claims (the clock of
//!   a worker that died was ahead): the job is made claimable again; or
//! - it has no live job (rows were restored or removed by hand): the job of its next stage is made
//!   again, and a run whose stages have all succeeded is closed.
//!
//! A run whose job waits for its turn or for its next try is not stale, however long that takes.

use std::sync::Arc;
use std::time::Duration;

use domain::{Clock, ClockUse};
use store::{StaleBefore, Store, StoreError};

use crate::scheduler::PeriodicTask;

/// Small enough that nobody waits for it.
const AT_ONCE: u32 = 500;

/// How long a run may show no sign of life.
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

/// The task, to be put on a schedule: one process at a time does it.
pub fn stale_runs(store: Store, clock: Arc<dyn Clock>, after: StaleAfter) -> PeriodicTask {
    PeriodicTask {
        name: "stale_runs",
        every: Duration::from_mins(1),
        longest: Duration::from_mins(2),
        run: Arc::new(move || {
            let (store, clock) = (store.clone(), Arc::clone(&clock));
            Box::pin(async move {
                if let Err(error) = take_over(&store, clock.as_ref(), after).await {
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        "the look for stale runs failed"
                    );
                }
            })
        }),
    }
}

async fn take_over(store: &Store, clock: &dyn Clock, after: StaleAfter) -> Result<(), StoreError> {
    while let Some(now) = clock.now_for(ClockUse::Expire) {
        let stale = StaleBefore { queued: now - after.queued, running: now - after.running };
        let mut across = store.on_the_queue().await?;
        let taken = across.take_over_stale_runs(stale, now, AT_ONCE).await?;
        if taken > 0 && !across.confirms_time_for(ClockUse::Expire).await? {
            return across.rollback().await;
        }
        across.commit().await?;
        if taken == 0 {
            return Ok(());
        }
        tracing::warn!(runs = taken, "took over runs that showed no sign of life");
    }
    Ok(())
}
