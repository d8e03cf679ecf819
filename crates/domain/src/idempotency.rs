//! `Idempotency-Key`: a client sends the same key when it repeats a request.

use std::str::FromStr;

use thiserror::Error;

/// The key a client sent: 1 to 255 visible ASCII characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IdempotencyKey(String);

#[derive(Debug, Error)]
#[error("an Idempotency-Key is 1 to 255 visible ASCII characters, such as a UUID")]
pub struct InvalidIdempotencyKey;

impl IdempotencyKey {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The key for one item of a request with several. No client can send it, because a space is not a visible character.
    #[must_use]
    pub fn nth(&self, number: usize) -> Self {
        Self(format!("{} {number}", self.0))
    }
}

impl FromStr for IdempotencyKey {
    type Err = InvalidIdempotencyKey;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fits = (1..=255).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic());
        if fits { Ok(Self(text.to_owned())) } else { Err(InvalidIdempotencyKey) }
    }
}

/// A key with the request that it was sent with.
#[derive(Clone, Debug)]
pub struct IdempotencyClaim {
    pub key: IdempotencyKey,
    /// SHA-256 of method, path and body. The same key with another request is an error.
    pub request_hash: [u8; 32],
}
