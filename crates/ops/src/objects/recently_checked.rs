//! Remembers which objects were verified against their hash recently, so that reading pages one by one does not read the
//! whole object for each page.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use domain::Clock;

#[derive(Debug, Default)]
pub(crate) struct RecentlyChecked {
    /// The time of the last verification, by object key.
    checked: Mutex<HashMap<String, Duration>>,
}

impl RecentlyChecked {
    const VALID_FOR: Duration = Duration::from_mins(10);
    /// When the table is full it is cleared, and objects are verified again.
    const MAX_ENTRIES: usize = 10_000;

    pub(crate) fn contains(&self, key: &str, clock: &dyn Clock) -> bool {
        let checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        checked.get(key).is_some_and(|at| is_recent(*at, clock))
    }

    pub(crate) fn record(&self, key: String, clock: &dyn Clock) {
        let mut checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        if checked.len() >= Self::MAX_ENTRIES {
            checked.retain(|_, at| is_recent(*at, clock));
        }
        if checked.len() >= Self::MAX_ENTRIES {
            checked.clear();
        }
        checked.insert(key, clock.elapsed());
    }
}

fn is_recent(at: Duration, clock: &dyn Clock) -> bool {
    clock.elapsed().saturating_sub(at) < RecentlyChecked::VALID_FOR
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};

    use super::*;

    /// A clock that always shows the same time.
    #[derive(Debug)]
    struct FixedClock(Duration);

    impl Clock for FixedClock {
        fn now(&self) -> DateTime<Utc> {
            DateTime::UNIX_EPOCH
        }

        fn elapsed(&self) -> Duration {
            self.0
        }
    }

    #[test]
    fn a_verification_is_valid_for_ten_minutes_and_one_object() {
        let (checked, at) =
            (RecentlyChecked::default(), |minutes| FixedClock(Duration::from_mins(minutes)));
        checked.record("a".to_owned(), &at(5));
        assert!(checked.contains("a", &at(14)) && !checked.contains("b", &at(14)));
        assert!(!checked.contains("a", &at(15)));
    }
}
