//! What becomes of a job that failed: pure decisions.

use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::{Failure, Jitter, RetryPolicy, StageName, Tries, Verdict};
use store::Outcome;

/// Put off, paused or given up, as the class and the stage's policy have it.
pub fn after_failure(
    failure: Failure,
    policy: &RetryPolicy,
    tries: Tries,
    now: DateTime<Utc>,
    jitter: Jitter,
) -> Outcome {
    match policy.after_failure(failure.class, tries, jitter) {
        Verdict::TryAgainIn(delay) => Outcome::PutOff { failure, not_before: now + delay },
        Verdict::Pause(dependency, delay) => {
            Outcome::Paused { failure, dependency, not_before: now + delay }
        }
        Verdict::GiveUp => Outcome::GivenUp { failure },
    }
}

/// A stage that took longer than it may.
pub fn timed_out(stage: &StageName, deadline: Duration) -> Failure {
    Failure::retry(format!("the stage {stage} did not end within {} s", deadline.as_secs_f64()))
}

/// A stage that panicked: a bug of ours that this document brings out.
pub(crate) fn panicked(stage: &StageName, message: &str) -> Failure {
    Failure::poison(
        format!("the stage {stage} crashed: {message}"),
        "the document brings out a bug in Docket: report it, with the document if you may, and \
         retry the job after an update",
    )
}

/// An outcome that the database would not take.
pub(crate) fn unrecordable(reason: &str) -> Failure {
    Failure::permanent(
        format!("the outcome could not be recorded: {reason}"),
        "this is a bug in Docket: report it, and retry the job after an update",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delay(failure: Failure, policy: &RetryPolicy, retries: u32) -> Option<i64> {
        let now = DateTime::UNIX_EPOCH;
        let tries = Tries { retries, max_retries: 9, pauses: 0 };
        match after_failure(failure, policy, tries, now, Jitter::from_bits(0)) {
            Outcome::PutOff { not_before, .. } => Some((not_before - now).num_seconds()),
            _ => None,
        }
    }

    #[test]
    fn the_class_and_the_policy_decide() {
        let policy = RetryPolicy::KNOWLEDGE;
        assert_eq!(delay(Failure::retry("x"), &policy, 0), Some(60));
        assert_eq!(delay(Failure::retry("x"), &policy, 2), Some(240));
        assert_eq!(delay(Failure::retry("x"), &policy, 3), None);
        assert_eq!(delay(Failure::poison("x", "y"), &policy, 0), Some(1));
        assert_eq!(delay(Failure::permanent("x", "y"), &policy, 0), None);
    }
}
