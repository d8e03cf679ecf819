//! Deduplicates audit rows of downloads.
//!
//! A browser that resumes a download, or a viewer that fetches a file in ranges, sends many requests for one read.
//! Requests with one link from one client within ten minutes count as one read. Each process deduplicates for itself:
//! several processes may write a row each.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use blob::links::Link;
use domain::Clock;

/// The key that identifies one read of an original.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct OriginalRead {
    pub(crate) link: Link,
    pub(crate) client: IpAddr,
}

#[derive(Debug, Default)]
pub(crate) struct RecentReads {
    /// When each was recorded.
    recorded: Mutex<HashMap<OriginalRead, Duration>>,
}

impl RecentReads {
    const WINDOW: Duration = Duration::from_mins(10);
    /// When the table is full it is cleared: that writes duplicate rows but loses none.
    const MAX_ENTRIES: usize = 10_000;

    pub(crate) fn is_new(&self, read: &OriginalRead, clock: &dyn Clock) -> bool {
        let recorded = self.recorded.lock().unwrap_or_else(PoisonError::into_inner);
        recorded.get(read).is_none_or(|at| !is_recent(*at, clock))
    }

    /// Call after the audit row was committed.
    pub(crate) fn record(&self, read: OriginalRead, clock: &dyn Clock) {
        let mut recorded = self.recorded.lock().unwrap_or_else(PoisonError::into_inner);
        if recorded.len() >= Self::MAX_ENTRIES {
            recorded.retain(|_, at| is_recent(*at, clock));
        }
        if recorded.len() >= Self::MAX_ENTRIES {
            recorded.clear();
        }
        recorded.insert(read, clock.elapsed());
    }
}

fn is_recent(at: Duration, clock: &dyn Clock) -> bool {
    clock.elapsed().saturating_sub(at) < RecentReads::WINDOW
}
