//! Deletes old events, so that the outbox does not grow without limit.
//!
//! An event is deleted when, and only when, it has a position and is older than the retention period. A subscriber that
//! resumes after a deleted event is told that events are missing.

use std::sync::Arc;
use std::time::Duration;

use domain::{Clock, ClockUse, TenantId};
use store::{Store, StoreError};

use crate::scheduler::PeriodicTask;

/// Small enough not to block other transactions for long.
const BATCH_SIZE: i64 = 1000;

/// The periodic task that deletes them.
pub fn prune_events(store: Store, clock: Arc<dyn Clock>, keep: Duration) -> PeriodicTask {
    PeriodicTask {
        name: "prune_events",
        every: Duration::from_mins(10),
        timeout: Duration::from_mins(5),
        run: Arc::new(move || {
            let (store, clock) = (store.clone(), Arc::clone(&clock));
            Box::pin(async move {
                if let Err(error) = prune(&store, clock.as_ref(), keep).await {
                    let error = &error as &dyn std::error::Error;
                    tracing::warn!(
                        error,
                        "old events were not deleted; the next run of this task tries again"
                    );
                }
            })
        }),
    }
}

async fn prune(store: &Store, clock: &dyn Clock, keep: Duration) -> Result<(), StoreError> {
    let Some(now) = clock.now_for(ClockUse::Delete) else { return Ok(()) };
    for tenant_id in store.tenants_to_prune(now - keep).await? {
        while prune_batch(store, clock, tenant_id, keep).await? {}
    }
    Ok(())
}

/// Returns whether there may be more to delete.
async fn prune_batch(
    store: &Store,
    clock: &dyn Clock,
    tenant_id: TenantId,
    keep: Duration,
) -> Result<bool, StoreError> {
    let Some(now) = clock.now_for(ClockUse::Delete) else { return Ok(false) };
    let mut across = store.across_tenants().await?;
    let pruned = across.prune_events(tenant_id, now - keep, BATCH_SIZE).await?;
    if pruned > 0 && !across.confirms_time_for(ClockUse::Delete).await? {
        across.rollback().await?;
        return Ok(false);
    }
    across.commit().await?;
    Ok(pruned > 0)
}
