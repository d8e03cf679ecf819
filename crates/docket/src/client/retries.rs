//! Retries of a request, with exponential backoff and a maximum number of tries.

use std::time::Duration;

use domain::Backoff;

use super::ClientError;
use crate::system;

/// The tries of one request.
#[derive(Debug)]
pub(crate) struct RequestRetries {
    tries: u32,
    max_tries: u32,
}

impl Default for RequestRetries {
    fn default() -> Self {
        Self { tries: 0, max_tries: Self::MAX_TRIES }
    }
}

impl RequestRetries {
    /// With the delays below, about a minute without an answer.
    const MAX_TRIES: u32 = 10;
    const BACKOFF: Backoff =
        Backoff { first: Duration::from_millis(250), longest: Duration::from_secs(15) };
    /// The longest `Retry-After` that is respected.
    const LONGEST_RETRY_AFTER: Duration = Duration::from_mins(1);

    /// For a user who waits at the terminal: about a second.
    pub(crate) fn short() -> Self {
        Self { tries: 0, max_tries: 3 }
    }

    /// How long to wait before the next try; `None` when there is none.
    pub(crate) fn wait_after(&mut self, error: &ClientError) -> Option<Duration> {
        let requested = retry_delay(error)?;
        self.tries += 1;
        if self.tries >= self.max_tries {
            return None;
        }
        let own = Self::BACKOFF.after(self.tries);
        let wait = own.max(requested.min(Self::LONGEST_RETRY_AFTER));
        Some(wait + wait.mul_f64(f64::from(random_byte()) / 1024.0))
    }
}

/// The shortest time to wait after a transient error; `None` for other errors.
fn retry_delay(error: &ClientError) -> Option<Duration> {
    match error {
        ClientError::Busy { wait, .. } => Some(*wait),
        ClientError::Refused(problem) if !matches!(problem.status, 408 | 429 | 503) => None,
        // 502 to 504: a proxy cannot reach its server.
        ClientError::Unreachable { .. }
        | ClientError::Refused(_)
        | ClientError::NotDocket { status: 502..=504, .. } => Some(Duration::ZERO),
        _ => None,
    }
}

/// Jitter: clients that were refused at the same time do not retry at the same time.
fn random_byte() -> u8 {
    let mut byte = [0];
    system::environment().random.fill(&mut byte);
    byte[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unreachable() -> ClientError {
        let server = "http://docs.example".parse().unwrap();
        ClientError::Unreachable { server, reason: "refused".to_owned() }
    }

    fn problem(status: u16) -> Box<api_types::Problem> {
        let document = serde_json::json!({ "type": "", "title": "", "status": status, "detail": "",
                                           "code": "", "trace_id": "" });
        Box::new(serde_json::from_value(document).unwrap())
    }

    #[test]
    fn an_unreachable_server_is_retried_for_about_a_minute() {
        let mut retries = RequestRetries::default();
        let waits: Vec<Duration> =
            std::iter::from_fn(|| retries.wait_after(&unreachable())).collect();
        assert_eq!(waits.len(), 9);
        let all: Duration = waits.iter().sum();
        assert!((50..90).contains(&all.as_secs()), "{waits:?}");
    }

    #[test]
    fn a_user_at_the_terminal_waits_for_two_seconds_at_most() {
        let mut retries = RequestRetries::short();
        let waits = std::iter::from_fn(|| retries.wait_after(&unreachable()));
        assert!(waits.sum::<Duration>() < Duration::from_secs(2));
    }

    #[test]
    fn retry_after_is_respected_up_to_a_limit() {
        let wait = Duration::from_secs(7);
        let busy = ClientError::Busy { problem: problem(429), wait };
        assert!(RequestRetries::default().wait_after(&busy).unwrap() >= wait);
        let far = ClientError::Busy { problem: problem(429), wait: Duration::from_hours(5) };
        assert!(RequestRetries::default().wait_after(&far).unwrap() < Duration::from_mins(2));
    }

    #[test]
    fn a_permanent_error_is_not_retried() {
        let refused = ClientError::Refused(problem(400));
        assert_eq!(RequestRetries::default().wait_after(&refused), None);
    }
}
