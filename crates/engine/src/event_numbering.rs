//! Numbers the events of tenants that have no subscriber.
//!
//! The event reader numbers the events of the tenants that it reads. Without subscribers the unnumbered events would
//! pile up, and the next subscriber would wait until all are numbered.

use std::sync::Arc;
use std::time::Duration;

use store::Store;

use crate::scheduler::PeriodicTask;

/// The periodic task that numbers them.
pub fn number_events(store: Store) -> PeriodicTask {
    PeriodicTask {
        name: "number_events",
        every: Duration::from_secs(15),
        timeout: Duration::from_mins(1),
        run: Arc::new(move || {
            let store = store.clone();
            Box::pin(async move {
                if let Err(error) = store.number_all_events().await {
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        "events were not numbered; the next run of this task tries again"
                    );
                }
            })
        }),
    }
}
