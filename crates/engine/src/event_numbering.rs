//! Numbers events while nobody follows them.
//!
//! The reader that followers share has the events of their tenants numbered before each look. Without followers they
//! would gather, and the next follower would wait until all are numbered.

use std::sync::Arc;
use std::time::Duration;

use store::Store;

use crate::scheduler::PeriodicTask;

/// The periodic task, to be put on a schedule: one process at a time does it.
pub fn number_events(store: Store) -> PeriodicTask {
    PeriodicTask {
        name: "number_events",
        every: Duration::from_secs(15),
        longest: Duration::from_mins(1),
        run: Arc::new(move || {
            let store = store.clone();
            Box::pin(async move {
                if let Err(error) = store.number_all_events().await {
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        "events were not numbered; the next round tries again"
                    );
                }
            })
        }),
    }
}
