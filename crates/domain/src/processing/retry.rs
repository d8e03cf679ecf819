//! Retry policies: named, one per kind of work.

use std::time::Duration;

use super::{Dependency, FailureClass};

/// The delays after the first, second, … failure. After the last one the job fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    pub name: &'static str,
    delays: &'static [Duration],
    jittered: bool,
}

/// A number in 0..1 that spreads retries, so that jobs that failed together are not retried together.
#[derive(Clone, Copy, Debug)]
pub struct Jitter(f64);

impl Jitter {
    /// From 32 random bits.
    pub fn from_bits(bits: u32) -> Self {
        Self(f64::from(bits) / f64::from(u32::MAX))
    }
}

/// The earlier attempts of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tries {
    /// How many retries are used up.
    pub retries: u32,
    /// The most retries (`jobs.max_attempts`); the policy may allow fewer.
    pub max_retries: u32,
    /// How often it was paused, which uses up no retry.
    pub pauses: u32,
}

/// What happens to a job that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryDecision {
    RetryIn(Duration),
    /// Try again later without using up a retry: the dependency failed, not the job.
    Pause(Dependency, Duration),
    /// The job is dead.
    Fail,
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
    /// For a job that was never tried.
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
    /// After a crash or a limit: soon, three times, whatever the policy for other failures.
    pub const POISON: Self = Self { name: "poison", delays: &seconds([1, 2, 4]), jittered: false };
    /// While a dependency is unavailable: 5 s, 15 s, 1, 5 and 15 minutes, then every hour without limit. One of the jobs
    /// that wait for it is tried much more often, as a probe, and resumes the others.
    pub const PAUSE: Self =
        Self { name: "pause", delays: &seconds([5, 15, 60, 300, 900, 3600]), jittered: true };
    /// After the worker of a job died. Documents are read in child processes, so the document is rarely the cause: the job
    /// is taken over at once three times, and then after increasing delays, so that a document that does kill workers
    /// leaves them time for others. After the last delay (about four hours in total) the job is dead.
    pub const LOST_WORKER: Self = Self {
        name: "lost_worker",
        delays: &seconds([0, 0, 0, 30, 120, 600, 3600, 3600, 3600]),
        jittered: false,
    };

    /// How often a job with this policy is retried.
    pub fn retries(&self) -> u32 {
        u32::try_from(self.delays.len()).unwrap_or(u32::MAX)
    }

    pub fn delays(&self) -> &'static [Duration] {
        self.delays
    }

    pub fn after_failure(
        &self,
        class: FailureClass,
        tries: Tries,
        jitter: Jitter,
    ) -> RetryDecision {
        let policy = match class {
            FailureClass::Permanent => return RetryDecision::Fail,
            FailureClass::Unavailable(dependency) => {
                return RetryDecision::Pause(dependency, Self::pause(tries.pauses, jitter));
            }
            FailureClass::Poison => &Self::POISON,
            FailureClass::Retry => self,
        };
        let delay = policy.delays.get(tries.retries as usize);
        match delay.filter(|_| tries.retries < tries.max_retries) {
            Some(delay) if policy.jittered => RetryDecision::RetryIn(spread(*delay, jitter)),
            Some(delay) => RetryDecision::RetryIn(*delay),
            None => RetryDecision::Fail,
        }
    }

    /// The length of the next pause of a job that was paused this often before.
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
            .map_while(|decision| match decision {
                RetryDecision::RetryIn(delay) => Some(delay.as_secs()),
                RetryDecision::Pause(..) | RetryDecision::Fail => None,
            })
            .collect()
    }

    #[test]
    fn the_policies_have_the_documented_delays() {
        let half = u32::MAX / 2;
        assert_eq!(delays(RetryPolicy::KNOWLEDGE, FailureClass::Retry, half), [60, 120, 240]);
        assert_eq!(delays(RetryPolicy::PIPELINE, FailureClass::Retry, 0), [27, 108, 540, 3240]);
        assert_eq!(
            delays(RetryPolicy::PIPELINE, FailureClass::Retry, u32::MAX),
            [33, 132, 660, 3960]
        );
    }

    #[test]
    fn poison_has_three_quick_retries_and_permanent_has_none() {
        for policy in [RetryPolicy::PIPELINE, RetryPolicy::KNOWLEDGE] {
            assert_eq!(delays(policy, FailureClass::Poison, 0), [1, 2, 4]);
            assert_eq!(delays(policy, FailureClass::Permanent, 0), Vec::<u64>::new());
        }
    }

    #[test]
    fn a_job_may_be_allowed_fewer_retries_than_its_policy_has() {
        let within = |max, class| delays_within(max, RetryPolicy::KNOWLEDGE, class, 0);
        assert_eq!(within(2, FailureClass::Retry), [60, 120]);
        assert_eq!(within(2, FailureClass::Poison), [1, 2]);
        assert_eq!(within(0, FailureClass::Retry), Vec::<u64>::new());
        assert_eq!(within(9, FailureClass::Retry), [60, 120, 240]);
    }

    #[test]
    fn an_unavailable_dependency_pauses_a_job_ever_longer_and_never_fails_it() {
        let class = FailureClass::Unavailable(Dependency::ObjectStore);
        let pause = |pauses, bits| {
            let tries = Tries { retries: 4, max_retries: 4, pauses };
            match RetryPolicy::PIPELINE.after_failure(class, tries, Jitter::from_bits(bits)) {
                RetryDecision::Pause(Dependency::ObjectStore, delay) => {
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
