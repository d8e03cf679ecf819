//! Exponential backoff.

use std::time::Duration;

/// Delays between attempts: each is twice as long as the one before, up to the longest.
#[derive(Clone, Copy, Debug)]
pub struct Backoff {
    pub first: Duration,
    pub longest: Duration,
}

impl Backoff {
    /// The delay after this many failures in a row.
    pub fn after(&self, failures: u32) -> Duration {
        let doublings = 2_u32.saturating_pow(failures.saturating_sub(1));
        self.first.saturating_mul(doublings).min(self.longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_up_to_the_longest() {
        let backoff =
            Backoff { first: Duration::from_millis(100), longest: Duration::from_secs(30) };
        let delays: Vec<u128> =
            (1..12).map(|failures| backoff.after(failures).as_millis()).collect();
        let doubled = [100, 200, 400, 800, 1600, 3200, 6400, 12800, 25600, 30000, 30000];
        assert_eq!(delays, doubled);
        assert_eq!(backoff.after(u32::MAX), backoff.longest);
    }
}
