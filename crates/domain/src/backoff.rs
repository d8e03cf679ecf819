//! How long to wait before something is tried again that must not be given up, or not yet.

use std::time::Duration;

/// Pauses between tries: each is twice as long as the one before, up to the longest.
#[derive(Clone, Copy, Debug)]
pub struct Backoff {
    pub first: Duration,
    pub longest: Duration,
}

impl Backoff {
    /// The pause after so many failures in a row, counted from 1.
    pub fn after(&self, failures: u32) -> Duration {
        let doublings = 2_u32.saturating_pow(failures.saturating_sub(1));
        self.first.saturating_mul(doublings).min(self.longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_longest() {
        let backoff =
            Backoff { first: Duration::from_millis(100), longest: Duration::from_secs(30) };
        let pauses: Vec<u128> =
            (1..12).map(|failures| backoff.after(failures).as_millis()).collect();
        let doubled = [100, 200, 400, 800, 1600, 3200, 6400, 12800, 25600, 30000, 30000];
        assert_eq!(pauses, doubled);
        assert_eq!(backoff.after(u32::MAX), backoff.longest);
    }
}
