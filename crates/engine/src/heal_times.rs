//! Brings jobs back that wait for a time which the clock was set back from.
//!
//! A clock that was ahead for a while leaves jobs behind that are due in an hour or in a week, and leases that last as
//! long. Jobs and runs that are not over and were last written later than now are moved to now; how long they were to
//! wait is kept.

use std::sync::Arc;
use std::time::Duration;

use domain::{Clock, ClockUse};
use store::{Store, StoreError};

use crate::scheduler::PeriodicTask;

/// Small enough that nobody waits for it.
const AT_ONCE: u32 = 500;

/// To be put on a schedule: one process at a time does it.
pub fn heal_times(store: Store, clock: Arc<dyn Clock>) -> PeriodicTask {
    PeriodicTask {
        name: "heal_times",
        every: Duration::from_mins(1),
        longest: Duration::from_mins(2),
        run: Arc::new(move || {
            let (store, clock) = (store.clone(), Arc::clone(&clock));
            Box::pin(async move {
                if let Err(error) = heal(&store, clock.as_ref()).await {
                    let error = &error as &dyn std::error::Error;
                    tracing::warn!(error, "the look for times that lie ahead failed");
                }
            })
        }),
    }
}

async fn heal(store: &Store, clock: &dyn Clock) -> Result<(), StoreError> {
    // Right after a jump, those who have not noticed it yet would write such times again.
    while let Some(now) = clock.now_for(ClockUse::Expire) {
        let mut across = store.on_the_queue().await?;
        let healed = across.heal_future_times(now, AT_ONCE).await?;
        if healed > 0 && !across.confirms_time_for(ClockUse::Expire).await? {
            return across.rollback().await;
        }
        across.commit().await?;
        if healed == 0 {
            return Ok(());
        }
        tracing::warn!(rows = healed, "moved times that lay ahead: the clock was set back");
    }
    Ok(())
}
