//! Asking again when that can help: after a growing while, and not for ever.

use std::time::Duration;

use domain::Backoff;

use super::ClientError;
use crate::system;

/// One request's tries.
#[derive(Debug)]
pub(crate) struct Patience {
    tries: u32,
    most_tries: u32,
}

impl Default for Patience {
    fn default() -> Self {
        Self { tries: 0, most_tries: Self::MOST_TRIES }
    }
}

impl Patience {
    /// With the waits below, about a minute without a word from the server.
    const MOST_TRIES: u32 = 10;
    const BACKOFF: Backoff =
        Backoff { first: Duration::from_millis(250), longest: Duration::from_secs(15) };
    /// What a server may ask for at most.
    const LONGEST_ASKED_FOR: Duration = Duration::from_mins(1);

    /// For a person who waits at the terminal: a second or so.
    pub(crate) fn short() -> Self {
        Self { tries: 0, most_tries: 3 }
    }

    /// How long to wait before the next try; `None` when there is to be none.
    pub(crate) fn wait_after(&mut self, error: &ClientError) -> Option<Duration> {
        let asked_for = passing(error)?;
        self.tries += 1;
        if self.tries >= self.most_tries {
            return None;
        }
        let own = Self::BACKOFF.after(self.tries);
        let wait = own.max(asked_for.min(Self::LONGEST_ASKED_FOR));
        Some(wait + wait.mul_f64(f64::from(any_byte()) / 1024.0))
    }
}

/// The least time to wait, when the error may be gone by then.
fn passing(error: &ClientError) -> Option<Duration> {
    match error {
        ClientError::Busy { wait, .. } => Some(*wait),
        ClientError::Refused(problem) if !matches!(problem.status, 408 | 429 | 503) => None,
        // 502 to 504: a proxy whose server is away.
        ClientError::Unreachable { .. }
        | ClientError::Refused(_)
        | ClientError::NotDocket { status: 502..=504, .. } => Some(Duration::ZERO),
        _ => None,
    }
}

/// So that those who were refused together do not come back together.
fn any_byte() -> u8 {
    let mut byte = [0];
    system::environment().random.fill(&mut byte);
    byte[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn away() -> ClientError {
        let server = "http://docs.example".parse().unwrap();
        ClientError::Unreachable { server, reason: "refused".to_owned() }
    }

    fn problem(status: u16) -> Box<api_types::Problem> {
        let document = serde_json::json!({ "type": "", "title": "", "status": status, "detail": "",
                                           "code": "", "trace_id": "" });
        Box::new(serde_json::from_value(document).unwrap())
    }

    #[test]
    fn a_server_that_is_away_is_asked_again_for_a_minute_or_so() {
        let mut patience = Patience::default();
        let waits: Vec<Duration> = std::iter::from_fn(|| patience.wait_after(&away())).collect();
        assert_eq!(waits.len(), 9);
        let all: Duration = waits.iter().sum();
        assert!((50..90).contains(&all.as_secs()), "{waits:?}");
    }

    #[test]
    fn a_person_is_not_kept_waiting() {
        let mut patience = Patience::short();
        let waits = std::iter::from_fn(|| patience.wait_after(&away()));
        assert!(waits.sum::<Duration>() < Duration::from_secs(2));
    }

    #[test]
    fn a_server_that_says_when_to_come_back_is_heard() {
        let wait = Duration::from_secs(7);
        let busy = ClientError::Busy { problem: problem(429), wait };
        assert!(Patience::default().wait_after(&busy).unwrap() >= wait);
        let far = ClientError::Busy { problem: problem(429), wait: Duration::from_hours(5) };
        assert!(Patience::default().wait_after(&far).unwrap() < Duration::from_mins(2));
    }

    #[test]
    fn what_will_not_change_is_not_asked_again() {
        let refused = ClientError::Refused(problem(400));
        assert_eq!(Patience::default().wait_after(&refused), None);
    }
}
