//! Sweeps up what nobody asks for any more.
//!
//! A job is swept when, and only when, it is finished, its run succeeded and that was longer ago than
//! it is kept. What became of each stage stays with the run. Dead jobs wait for a person, however
//! long.

use std::sync::Arc;
use std::time::Duration;

use domain::{Clock, ClockUse};
use store::{Store, StoreError};

use crate::scheduler::PeriodicTask;

/// Small enough that nobody waits for it.
const AT_ONCE: u32 = 1000;

/// The task, to be put on a schedule: one process at a time does it.
pub fn clean_up_jobs(store: Store, clock: Arc<dyn Clock>, keep: Duration) -> PeriodicTask {
    PeriodicTask {
        name: "cleanup",
        every: Duration::from_mins(5),
        longest: Duration::from_mins(2),
        run: Arc::new(move || {
            let (store, clock) = (store.clone(), Arc::clone(&clock));
            Box::pin(async move {
                if let Err(error) = sweep(&store, clock.as_ref(), keep).await {
                    tracing::warn!(error = &error as &dyn std::error::Error, "cleaning up failed");
                }
            })
        }),
    }
}

async fn sweep(store: &Store, clock: &dyn Clock, keep: Duration) -> Result<(), StoreError> {
    while let Some(now) = clock.now_for(ClockUse::Delete) {
        let mut across = store.across_tenants().await?;
        let swept = across.sweep_finished(now - keep, AT_ONCE).await?;
        if swept > 0 && !across.confirms_time_for(ClockUse::Delete).await? {
            return across.rollback().await;
        }
        across.commit().await?;
        if swept == 0 {
            return Ok(());
        }
    }
    Ok(())
}
