//! When to try again: named policies, one per kind of work.

use std::time::Duration;

use super::{Dependency, FailureClass};

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

/// What became of the work before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tries {
    /// Retries that have been used up.
    pub retries: u32,
    /// The most retries, if the policy has no fewer (`jobs.max_attempts`).
    pub max_retries: u32,
    /// How often it was paused, which uses up none.
    pub pauses: u32,
}

/// What becomes of work that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    TryAgainIn(Duration),
    /// The same, but it does not count: the work is not to blame.
    Pause(Dependency, Duration),
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

impl Tries {
    /// Of work that was never tried.
    pub fn none(max_retries: u32) -> Self {
        Self { retries: 0, max_retries, pauses: 0 }
    }
}

impl RetryPolicy {
    /// Stages of the pipeline: 30 s, 2 min, 10 min, 1 h.
    pub const PIPELINE: Self =
        Self { name: "pipeline", delays: &seconds([30, 120, 600, 3600]), jittered: true };
    /// Work on the knowledge base (the stage `index`: chunks and vectors): 1, 2, 4 minutes.
    pub const KNOWLEDGE: Self =
        Self { name: "knowledge", delays: &seconds([60, 120, 240]), jittered: false };
    /// After a crash or a limit: soon, three times, whatever the policy for ordinary failures.
    pub const POISON: Self = Self { name: "poison", delays: &seconds([1, 2, 4]), jittered: false };
    /// While a dependency is away: 5 s, 15 s, 1, 5 and 15 minutes, then every hour for as long as it takes. One job of
    /// all that wait for it is tried much more often, and wakes the others.
    pub const PAUSE: Self =
        Self { name: "pause", delays: &seconds([5, 15, 60, 300, 900, 3600]), jittered: true };
    /// After the worker of a job died. Documents are read in child processes, so it was mostly not the document: it
    /// is taken over at once three times, and then ever later, so that one which does kill workers leaves them time
    /// for the others. After the last one (some four hours) the job is given up.
    pub const LOST_WORKER: Self = Self {
        name: "lost_worker",
        delays: &seconds([0, 0, 0, 30, 120, 600, 3600, 3600, 3600]),
        jittered: false,
    };

    /// How often work under this policy is tried again.
    pub fn retries(&self) -> u32 {
        u32::try_from(self.delays.len()).unwrap_or(u32::MAX)
    }

    pub fn delays(&self) -> &'static [Duration] {
        self.delays
    }

    pub fn after_failure(&self, class: FailureClass, tries: Tries, jitter: Jitter) -> Verdict {
        let policy = match class {
            FailureClass::Permanent => return Verdict::GiveUp,
            FailureClass::Unavailable(dependency) => {
                return Verdict::Pause(dependency, Self::pause(tries.pauses, jitter));
            }
            FailureClass::Poison => &Self::POISON,
            FailureClass::Retry => self,
        };
        let delay = policy.delays.get(tries.retries as usize);
        match delay.filter(|_| tries.retries < tries.max_retries) {
            Some(delay) if policy.jittered => Verdict::TryAgainIn(spread(*delay, jitter)),
            Some(delay) => Verdict::TryAgainIn(*delay),
            None => Verdict::GiveUp,
        }
    }

    /// How long work rests that was paused so often before.
    fn pause(pauses: u32, jitter: Jitter) -> Duration {
        let delays = Self::PAUSE.delays;
        let delay = delays.get(pauses as usize).or(delays.last());
        spread(delay.copied().unwrap_or_default(), jitter)
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
        delays_within(u32::MAX, policy, class, bits)
    }

    fn delays_within(
        max_retries: u32,
        policy: RetryPolicy,
        class: FailureClass,
        bits: u32,
    ) -> Vec<u64> {
        (0..)
            .map(|retries| {
                let tries = Tries { retries, max_retries, pauses: 9 };
                policy.after_failure(class, tries, Jitter::from_bits(bits))
            })
            .map_while(|verdict| match verdict {
                Verdict::TryAgainIn(delay) => Some(delay.as_secs()),
                Verdict::Pause(..) | Verdict::GiveUp => None,
            })
            .collect()
    }

    #[test]
    fn the_policies_are_the_promised_ones() {
        let half = u32::MAX / 2;
        assert_eq!(delays(RetryPolicy::KNOWLEDGE, FailureClass::Retry, half), [60, 120, 240]);
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

    #[test]
    fn a_job_may_be_allowed_fewer_retries_than_its_policy_has() {
        let within = |most, class| delays_within(most, RetryPolicy::KNOWLEDGE, class, 0);
        assert_eq!(within(2, FailureClass::Retry), [60, 120]);
        assert_eq!(within(2, FailureClass::Poison), [1, 2]);
        assert_eq!(within(0, FailureClass::Retry), Vec::<u64>::new());
        assert_eq!(within(9, FailureClass::Retry), [60, 120, 240]);
    }

    #[test]
    fn what_is_no_documents_fault_is_paused_ever_longer_and_never_given_up() {
        let class = FailureClass::Unavailable(Dependency::ObjectStore);
        let pause = |pauses, bits| {
            let tries = Tries { retries: 4, max_retries: 4, pauses };
            match RetryPolicy::PIPELINE.after_failure(class, tries, Jitter::from_bits(bits)) {
                Verdict::Pause(Dependency::ObjectStore, delay) => {
                    (delay + Duration::from_millis(500)).as_secs()
                }
                other => panic!("{other:?}"),
            }
        };
        let middle: Vec<u64> = (0..8).map(|pauses| pause(pauses, u32::MAX / 2)).collect();
        assert_eq!(middle, [5, 15, 60, 300, 900, 3600, 3600, 3600]);
        assert_eq!(pause(u32::MAX, 0), 3240);
    }
}
