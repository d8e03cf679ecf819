//! How a call to a model service can fail.

use std::time::Duration;

/// Why a model service did not answer. Each message says what to do.
///
/// `message` quotes the server, shortened to fit in a log line and without the key.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    #[error("The settings for the model service at {server} are invalid: {reason}.")]
    Settings { server: String, reason: String },

    #[error("{server} requires a key and none is set: set the key of this service.")]
    KeyMissing { server: String },

    #[error(
        "{server} does not accept the key: check that it belongs to this service and is still valid."
    )]
    KeyRefused { server: String },

    #[error("This key may not use the model {model} at {server}. {message}")]
    NotAllowed { server: String, model: String, message: String },

    #[error(
        "{server} does not have the model {model}: check its name, or install it there. {message}"
    )]
    UnknownModel { server: String, model: String, message: String },

    #[error(
        "Nothing is served at {url} (status {status}): check the base URL, including its path. {message}"
    )]
    WrongAddress { url: String, status: u16, message: String },

    #[error("The account at {server} has no quota or credit left: check its billing. {message}")]
    OutOfQuota { server: String, message: String },

    #[error("{server} refused the request (status {status}). {message}")]
    Refused { server: String, status: u16, message: String },

    #[error(
        "{server} is rate limiting requests{}: try again later, or raise the account's rate \
         limit. {message}", requested_wait(*retry_after)
    )]
    Busy { server: String, retry_after: Option<Duration>, message: String },

    #[error("{server} failed (status {status}): try again later, or check its log. {message}")]
    ServerError { server: String, status: u16, retry_after: Option<Duration>, message: String },

    #[error(
        "{server} cannot be reached: {reason}. Check that it is running and that the address is correct."
    )]
    Unreachable { server: String, reason: String },

    #[error("The connection to {server} broke during its answer: {reason}.")]
    Interrupted { server: String, reason: String },

    #[error("{server} timed out: {phase} within {} s.", limit.as_secs_f64())]
    TimedOut { server: String, phase: TimeoutPhase, limit: Duration },

    #[error("{server} sent too much: {what} is larger than {limit} bytes.")]
    ResponseTooLarge { server: String, what: &'static str, limit: usize },

    #[error("{server} sent an invalid answer: {reason}.")]
    InvalidResponse { server: String, reason: String },

    #[error("The model {model} declined to answer. {message}")]
    Declined { model: String, message: String },

    #[error(
        "The model {model} reached the limit of {max_tokens} tokens: raise the limit, or ask for less."
    )]
    Truncated { model: String, max_tokens: u32 },
}

/// The part of a call that timed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeoutPhase {
    FirstByte,
    NextPiece,
    Total,
}

impl std::fmt::Display for TimeoutPhase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::FirstByte => "it did not begin to answer",
            Self::NextPiece => "it stopped sending its answer",
            Self::Total => "its answer was not complete",
        })
    }
}

impl ModelError {
    /// Whether the same call may succeed later. The other errors need an administrator.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Busy { .. }
            | Self::ServerError { .. }
            | Self::Unreachable { .. }
            | Self::Interrupted { .. }
            | Self::TimedOut { .. } => true,
            Self::Settings { .. }
            | Self::KeyMissing { .. }
            | Self::KeyRefused { .. }
            | Self::NotAllowed { .. }
            | Self::UnknownModel { .. }
            | Self::WrongAddress { .. }
            | Self::OutOfQuota { .. }
            | Self::Refused { .. }
            | Self::ResponseTooLarge { .. }
            | Self::InvalidResponse { .. }
            | Self::Declined { .. }
            | Self::Truncated { .. } => false,
        }
    }

    /// Whether any request would fail in the same way, because of the service, the account or the settings.
    pub fn is_service_failure(&self) -> bool {
        match self {
            Self::Settings { .. }
            | Self::KeyMissing { .. }
            | Self::KeyRefused { .. }
            | Self::NotAllowed { .. }
            | Self::UnknownModel { .. }
            | Self::WrongAddress { .. }
            | Self::OutOfQuota { .. } => true,
            Self::Refused { .. }
            | Self::ResponseTooLarge { .. }
            | Self::InvalidResponse { .. }
            | Self::Declined { .. }
            | Self::Truncated { .. } => false,
            _ => self.is_transient(),
        }
    }
}

fn requested_wait(retry_after: Option<Duration>) -> String {
    retry_after.map_or_else(String::new, |wait| {
        format!(" and asks to wait {} s", wait.as_secs_f64().ceil())
    })
}
