//! Which artifacts were compared with their hashes a moment ago, so that a reader who turns pages does not have the
//! whole artifact read for each of them.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use domain::Clock;

#[derive(Debug, Default)]
pub(crate) struct RecentlyChecked {
    /// By key: when.
    checked: Mutex<HashMap<String, Duration>>,
}

impl RecentlyChecked {
    const LASTS: Duration = Duration::from_mins(10);
    /// More are forgotten, and read again.
    const MOST: usize = 10_000;

    pub(crate) fn contains(&self, key: &str, clock: &dyn Clock) -> bool {
        let checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        checked.get(key).is_some_and(|at| is_recent(*at, clock))
    }

    pub(crate) fn note(&self, key: String, clock: &dyn Clock) {
        let mut checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        if checked.len() >= Self::MOST {
            checked.retain(|_, at| is_recent(*at, clock));
        }
        if checked.len() >= Self::MOST {
            checked.clear();
        }
        checked.insert(key, clock.elapsed());
    }
}

fn is_recent(at: Duration, clock: &dyn Clock) -> bool {
    clock.elapsed().saturating_sub(at) < RecentlyChecked::LASTS
}
