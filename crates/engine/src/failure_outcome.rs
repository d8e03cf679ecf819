//! Decides the outcome of a job whose stage failed. Pure functions.

use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::{Failure, Jitter, RetryDecision, RetryPolicy, StageName, Tries};
use store::Outcome;

/// Retried, paused or dead, depending on the class of the failure and the stage's retry policy.
pub fn after_failure(
    failure: Failure,
    policy: &RetryPolicy,
    tries: Tries,
    now: DateTime<Utc>,
    jitter: Jitter,
) -> Outcome {
    match policy.after_failure(failure.class, tries, jitter) {
        RetryDecision::RetryIn(delay) => {
            Outcome::RetryScheduled { failure, not_before: now + delay }
        }
        RetryDecision::Pause(dependency, delay) => {
            Outcome::Paused { failure, dependency, not_before: now + delay }
        }
        RetryDecision::Fail => Outcome::Failed { failure },
    }
}

/// The failure of a stage that exceeded its deadline.
pub fn timed_out(stage: &StageName, deadline: Duration) -> Failure {
    Failure::retry(format!("the stage {stage} did not end within {} s", deadline.as_secs_f64()))
}

/// The failure of a stage that panicked: a bug in Docket that this document triggers.
pub(crate) fn panicked(stage: &StageName, message: &str) -> Failure {
    Failure::poison(
        format!("the stage {stage} crashed: {message}"),
        "the document triggers a bug in Docket: report it, with the document if you may, and \
         retry the job after an update",
    )
}

/// The failure of a job whose outcome the database refused.
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
            Outcome::RetryScheduled { not_before, .. } => Some((not_before - now).num_seconds()),
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
