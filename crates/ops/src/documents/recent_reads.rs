//! Which originals were read a moment ago, so that one download is one row in the audit log.
//!
//! A browser that resumes a download, or a viewer that fetches a file in ranges, sends many requests for one read.
//! Requests by one link from one client within ten minutes are one read. Each process counts for itself: several
//! processes may write a row each, and none leaves out the first.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use blob::links::Link;
use domain::Clock;

/// One read of an original, as it is told from others.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Read {
    pub(crate) link: Link,
    pub(crate) client: IpAddr,
}

#[derive(Debug, Default)]
pub(crate) struct RecentReads {
    /// When each was noted.
    noted: Mutex<HashMap<Read, Duration>>,
}

impl RecentReads {
    const ONE_READ_LASTS: Duration = Duration::from_mins(10);
    /// More are forgotten, which costs rows and loses none.
    const MOST: usize = 10_000;

    pub(crate) fn is_new(&self, read: &Read, clock: &dyn Clock) -> bool {
        let noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        noted.get(read).is_none_or(|at| !is_recent(*at, clock))
    }

    /// To be called when the row of the read is committed.
    pub(crate) fn note(&self, read: Read, clock: &dyn Clock) {
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.len() >= Self::MOST {
            noted.retain(|_, at| is_recent(*at, clock));
        }
        if noted.len() >= Self::MOST {
            noted.clear();
        }
        noted.insert(read, clock.elapsed());
    }
}

fn is_recent(at: Duration, clock: &dyn Clock) -> bool {
    clock.elapsed().saturating_sub(at) < RecentReads::ONE_READ_LASTS
}
