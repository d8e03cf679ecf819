//! When to try again: named policies, one per kind of work.

use std::time::Duration;

use super::FailureClass;

/// Waiting times after the first, second, … failure; after the last one the work is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    pub name: &'static str,
    delays: &'static [Duration],
    jittered: bool,
}

/// A number in 0..1 that spreads retries out, so that what failed together does not return together.
#[derive(Clone, Copy, Debug)]
pub struct Jitter(f64);

impl Jitter {
    /// From 32 random bits.
    pub fn from_bits(bits: u32) -> Self {
        Self(f64::from(bits) / f64::from(u32::MAX))
    }
}

/// What becomes of work that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    TryAgainIn(Duration),
    GiveUp,
}

const fn seconds<const N: usize>(values: [u64; N]) -> [Duration; N] {
    let mut delays = [Duration::ZERO; N];
    let mut i = 0;
    while i < N {
        delays[i] = Duration::from_secs(values[i]);
        i += 1;
    }
    delays
}

impl RetryPolicy {
    /// Stages of the pipeline: 30 s, 2 min, 10 min, 1 h.
    pub const PIPELINE: Self =
        Self { name: "pipeline", delays: &seconds([30, 120, 600, 3600]), jittered: true };
    /// Work on the knowledge base: 1, 2, 4 minutes.
    pub const KNOWLEDGE: Self =
        Self { name: "knowledge", delays: &seconds([60, 120, 240]), jittered: false };
    /// Documents out of a polled bucket: 5, 15, 60 minutes.
    pub const SOURCE: Self =
        Self { name: "source", delays: &seconds([300, 900, 3600]), jittered: false };
    /// After a crash or a limit: soon, three times, whatever the policy for ordinary failures.
    pub const POISON: Self = Self { name: "poison", delays: &seconds([1, 2, 4]), jittered: false };

    /// How often work under this policy is tried again.
    pub fn retries(&self) -> u32 {
        u32::try_from(self.delays.len()).unwrap_or(u32::MAX)
    }

    /// After a failure when `retries` have been used up already.
    pub fn after_failure(&self, class: FailureClass, retries: u32, jitter: Jitter) -> Verdict {
        let policy = match class {
            FailureClass::Permanent => return Verdict::GiveUp,
            FailureClass::Poison => &Self::POISON,
            FailureClass::Retry => self,
        };
        match policy.delays.get(retries as usize) {
            Some(delay) if policy.jittered => Verdict::TryAgainIn(spread(*delay, jitter)),
            Some(delay) => Verdict::TryAgainIn(*delay),
            None => Verdict::GiveUp,
        }
    }
}

/// Between nine tenths and eleven tenths of the delay.
fn spread(delay: Duration, jitter: Jitter) -> Duration {
    delay.mul_f64(0.9 + 0.2 * jitter.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delays(policy: RetryPolicy, class: FailureClass, bits: u32) -> Vec<u64> {
        (0..)
            .map(|retries| policy.after_failure(class, retries, Jitter::from_bits(bits)))
            .map_while(|verdict| match verdict {
                Verdict::TryAgainIn(delay) => Some(delay.as_secs()),
                Verdict::GiveUp => None,
            })
            .collect()
    }

    #[test]
    fn the_policies_are_the_promised_ones() {
        let half = u32::MAX / 2;
        assert_eq!(delays(RetryPolicy::KNOWLEDGE, FailureClass::Retry, half), [60, 120, 240]);
        assert_eq!(delays(RetryPolicy::SOURCE, FailureClass::Retry, half), [300, 900, 3600]);
        assert_eq!(delays(RetryPolicy::PIPELINE, FailureClass::Retry, 0), [27, 108, 540, 3240]);
        assert_eq!(
            delays(RetryPolicy::PIPELINE, FailureClass::Retry, u32::MAX),
            [33, 132, 660, 3960]
        );
    }

    #[test]
    fn poison_has_three_quick_tries_and_permanent_has_none() {
        for policy in [RetryPolicy::PIPELINE, RetryPolicy::KNOWLEDGE] {
            assert_eq!(delays(policy, FailureClass::Poison, 0), [1, 2, 4]);
            assert_eq!(delays(policy, FailureClass::Permanent, 0), Vec::<u64>::new());
        }
    }
}
