//! Which artifacts and originals were compared with their hashes a moment ago, so that a reader who turns pages does not
//! have the whole object read for each of them.

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

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};

    use super::*;

    /// Stands still.
    #[derive(Debug)]
    struct At(Duration);

    impl Clock for At {
        fn now(&self) -> DateTime<Utc> {
            DateTime::UNIX_EPOCH
        }

        fn elapsed(&self) -> Duration {
            self.0
        }
    }

    #[test]
    fn a_check_holds_for_ten_minutes_and_for_its_own_object() {
        let (checked, at) =
            (RecentlyChecked::default(), |minutes| At(Duration::from_mins(minutes)));
        checked.note("a".to_owned(), &at(5));
        assert!(checked.contains("a", &at(14)) && !checked.contains("b", &at(14)));
        assert!(!checked.contains("a", &at(15)));
    }
}
