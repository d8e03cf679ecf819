//! Deletes jobs that are no longer needed.
//!
//! A job is deleted when, and only when, it is completed and its run succeeded longer ago than the retention period. The
//! results of the stages stay with the run. Dead jobs are never deleted: they need attention.

use std::sync::Arc;
use std::time::Duration;

use domain::{Clock, ClockUse};
use store::{Store, StoreError};

use crate::scheduler::PeriodicTask;

/// Small enough not to block other transactions for long.
const BATCH_SIZE: u32 = 1000;

/// The periodic task that deletes them.
pub fn clean_up_jobs(store: Store, clock: Arc<dyn Clock>, keep: Duration) -> PeriodicTask {
    PeriodicTask {
        name: "cleanup",
        every: Duration::from_mins(5),
        timeout: Duration::from_mins(2),
        run: Arc::new(move || {
            let (store, clock) = (store.clone(), Arc::clone(&clock));
            Box::pin(async move {
                if let Err(error) = delete_finished(&store, clock.as_ref(), keep).await {
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        "the cleanup of finished jobs failed"
                    );
                }
            })
        }),
    }
}

async fn delete_finished(
    store: &Store,
    clock: &dyn Clock,
    keep: Duration,
) -> Result<(), StoreError> {
    while let Some(now) = clock.now_for(ClockUse::Delete) {
        let mut across = store.across_tenants().await?;
        let deleted = across.delete_finished_jobs(now - keep, BATCH_SIZE).await?;
        if deleted > 0 && !across.confirms_time_for(ClockUse::Delete).await? {
            return across.rollback().await;
        }
        across.commit().await?;
        if deleted == 0 {
            return Ok(());
        }
    }
    Ok(())
}
