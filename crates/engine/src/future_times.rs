//! Corrects times in the future after the database's clock was set back.
//!
//! A clock that was ahead for a while leaves jobs that are due, and leases that end, far in the future. The task
//! moves jobs and runs that have not ended, and whose last update lies in the future, to the present. Their delays
//! stay as long as they were.

use std::sync::Arc;
use std::time::Duration;

use domain::{Clock, ClockUse};
use store::{Store, StoreError};

use crate::scheduler::PeriodicTask;

/// Small enough not to block other transactions for long.
const BATCH_SIZE: u32 = 500;

/// The periodic task that corrects them.
pub fn correct_future_times(store: Store, clock: Arc<dyn Clock>) -> PeriodicTask {
    PeriodicTask {
        name: "correct_future_times",
        every: Duration::from_mins(1),
        timeout: Duration::from_mins(2),
        run: Arc::new(move || {
            let (store, clock) = (store.clone(), Arc::clone(&clock));
            Box::pin(async move {
                if let Err(error) = correct(&store, clock.as_ref()).await {
                    let error = &error as &dyn std::error::Error;
                    tracing::warn!(
                        error,
                        "times in the future were not corrected; the next run of this task tries again"
                    );
                }
            })
        }),
    }
}

async fn correct(store: &Store, clock: &dyn Clock) -> Result<(), StoreError> {
    // Right after a jump, processes that have not noticed it yet would write such times again.
    while let Some(now) = clock.now_for(ClockUse::Expire) {
        let mut across = store.queue_transaction().await?;
        let corrected = across.correct_future_times(now, BATCH_SIZE).await?;
        if corrected > 0 && !across.confirms_time_for(ClockUse::Expire).await? {
            return across.rollback().await;
        }
        across.commit().await?;
        if corrected == 0 {
            return Ok(());
        }
        tracing::warn!(rows = corrected, "corrected times in the future: the clock was set back");
    }
    Ok(())
}
