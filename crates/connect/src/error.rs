//! How a call to a model service ends when it does not end well.

use std::time::Duration;

/// What kept a model service from answering, as a sentence that says what to do.
///
/// Where a server's own words are quoted (`said`), they are cut to a length that fits in a log line and the
/// key is taken out of them.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    #[error("The settings for the model service at {server} cannot be used: {reason}.")]
    Settings { server: String, reason: String },

    #[error("{server} wants a key and none is set: set the one that belongs to this service.")]
    KeyMissing { server: String },

    #[error("{server} does not accept the key: check that it is the right one and still valid.")]
    KeyRefused { server: String },

    #[error("{server} does not let this key use the model {model}. {said}")]
    NotAllowed { server: String, model: String, said: String },

    #[error(
        "{server} does not have the model {model}: check its name, or install it there. {said}"
    )]
    UnknownModel { server: String, model: String, said: String },

    #[error(
        "Nothing is served at {url} (status {status}): check the base URL, including its path. {said}"
    )]
    WrongAddress { url: String, status: u16, said: String },

    #[error("The account at {server} is out of quota or credit: look at its billing. {said}")]
    OutOfQuota { server: String, said: String },

    #[error("{server} refused the request (status {status}). {said}")]
    Refused { server: String, status: u16, said: String },

    #[error(
        "{server} takes no more requests at the moment{}: try again later, or raise the account's rate \
         limit. {said}", asked_for(*retry_after)
    )]
    Busy { server: String, retry_after: Option<Duration>, said: String },

    #[error("{server} failed (status {status}): try again later, or look at its log. {said}")]
    Failing { server: String, status: u16, retry_after: Option<Duration>, said: String },

    #[error(
        "{server} cannot be reached: {reason}. Check that it runs and that the address is right."
    )]
    Unreachable { server: String, reason: String },

    #[error("{server} broke off in the middle of its answer: {reason}.")]
    Interrupted { server: String, reason: String },

    #[error("{server} took too long: {waiting_for} within {} s.", limit.as_secs_f64())]
    TooSlow { server: String, waiting_for: Slow, limit: Duration },

    #[error("{server} sent more than we take: {what} beyond {limit} bytes.")]
    TooMuch { server: String, what: &'static str, limit: usize },

    #[error("The answer of {server} is not what its protocol promises: {reason}.")]
    NotUnderstood { server: String, reason: String },

    #[error("The model {model} declined to answer. {said}")]
    Declined { model: String, said: String },

    #[error(
        "The model {model} had not finished after {max_tokens} tokens: allow more, or ask for less."
    )]
    CutShort { model: String, max_tokens: u32 },
}

/// What did not happen in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slow {
    FirstByte,
    NextPiece,
    Whole,
}

impl std::fmt::Display for Slow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::FirstByte => "it did not begin to answer",
            Self::NextPiece => "it began to answer and then sent nothing more",
            Self::Whole => "its answer was not complete",
        })
    }
}

impl ModelError {
    /// Whether the same call may succeed later with nothing changed. The others need a person.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Busy { .. }
            | Self::Failing { .. }
            | Self::Unreachable { .. }
            | Self::Interrupted { .. }
            | Self::TooSlow { .. } => true,
            Self::Settings { .. }
            | Self::KeyMissing { .. }
            | Self::KeyRefused { .. }
            | Self::NotAllowed { .. }
            | Self::UnknownModel { .. }
            | Self::WrongAddress { .. }
            | Self::OutOfQuota { .. }
            | Self::Refused { .. }
            | Self::TooMuch { .. }
            | Self::NotUnderstood { .. }
            | Self::Declined { .. }
            | Self::CutShort { .. } => false,
        }
    }

    /// Whether any request would fail in the same way: it is about the service, the account or the settings and not
    /// about what was sent.
    pub fn is_about_the_service(&self) -> bool {
        match self {
            Self::Settings { .. }
            | Self::KeyMissing { .. }
            | Self::KeyRefused { .. }
            | Self::NotAllowed { .. }
            | Self::UnknownModel { .. }
            | Self::WrongAddress { .. }
            | Self::OutOfQuota { .. } => true,
            Self::Refused { .. }
            | Self::TooMuch { .. }
            | Self::NotUnderstood { .. }
            | Self::Declined { .. }
            | Self::CutShort { .. } => false,
            _ => self.is_passing(),
        }
    }
}

fn asked_for(retry_after: Option<Duration>) -> String {
    retry_after.map_or_else(String::new, |wait| {
        format!(" and asks to be left alone for {} s", wait.as_secs_f64().ceil())
    })
}
