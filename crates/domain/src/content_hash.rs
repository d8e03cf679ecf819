//! The hash that identifies content.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The SHA-256 of some content. Written as 64 lower-case hexadecimal digits.
///
/// ```
/// let text = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
/// let hash: domain::ContentHash = text.parse().unwrap();
/// assert_eq!(hash.to_string(), text);
/// assert!(text[1..].parse::<domain::ContentHash>().is_err());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ContentHash(pub [u8; 32]);

#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("a content hash is a SHA-256 in 64 lower-case hexadecimal digits")]
pub struct InvalidContentHash;

impl ContentHash {
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl FromStr for ContentHash {
    type Err = InvalidContentHash;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.as_bytes();
        if digits.len() != 64 {
            return Err(InvalidContentHash);
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = value_of(pair[0])? << 4 | value_of(pair[1])?;
        }
        Ok(Self(bytes))
    }
}

/// Lower case only, because hashes are compared as text in object keys.
fn value_of(digit: u8) -> Result<u8, InvalidContentHash> {
    match digit {
        b'0'..=b'9' => Ok(digit - b'0'),
        b'a'..=b'f' => Ok(digit - b'a' + 10),
        _ => Err(InvalidContentHash),
    }
}

impl TryFrom<&[u8]> for ContentHash {
    type Error = InvalidContentHash;

    fn try_from(bytes: &[u8]) -> Result<Self, Self::Error> {
        bytes.try_into().map(Self).map_err(|_| InvalidContentHash)
    }
}

impl TryFrom<String> for ContentHash {
    type Error = InvalidContentHash;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<ContentHash> for String {
    fn from(hash: ContentHash) -> Self {
        hash.to_string()
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::with_capacity(64);
        for byte in self.0 {
            write!(text, "{byte:02x}")?;
        }
        f.pad(&text)
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentHash({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_its_64_lower_case_digits_in_json_too() {
        let hash = ContentHash(std::array::from_fn(|at| u8::try_from(at * 8).unwrap()));
        let json = serde_json::to_string(&hash).unwrap();
        assert_eq!(json, format!("\"{hash}\""));
        assert_eq!(serde_json::from_str::<ContentHash>(&json).unwrap(), hash);
        assert_eq!(ContentHash::try_from(hash.as_bytes().as_slice()), Ok(hash));
    }

    #[test]
    fn anything_else_is_not_a_hash() {
        let right = "a".repeat(64);
        assert!(right.parse::<ContentHash>().is_ok());
        for wrong in ["", "a", &right[1..], &"A".repeat(64), &"g".repeat(64), &"é".repeat(32)] {
            assert_eq!(wrong.parse::<ContentHash>(), Err(InvalidContentHash), "{wrong}");
        }
    }
}
