//! Regular expressions of document types.
//!
//! The engine is the crate `regex`: its time is linear in the text, whatever the pattern. It has no look-around and no
//! back references.

use regex::{Regex, RegexBuilder};
use thiserror::Error;

/// The longest pattern, in characters.
pub(super) const MAX_LENGTH: usize = 500;
/// The memory of a compiled pattern, in bytes.
pub(super) const MAX_COMPILED: usize = 1 << 20;

/// Why a pattern cannot be used.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum InvalidPattern {
    #[error("the pattern has more than {MAX_LENGTH} characters; shorten it")]
    TooLong,
    #[error(
        "the pattern needs too much memory; use smaller counts of repetition, and [0-9] or [A-Za-z] instead of \
         \\d or \\w"
    )]
    TooLarge,
    #[error(
        "look-around and back references are not supported, because patterns must run in linear time; \
         write the pattern without them"
    )]
    NotLinear,
    #[error("the pattern is not a regular expression: {0}")]
    Syntax(String),
}

/// Compiles a pattern of a field, so that it matches whole values only.
pub fn pattern(text: &str) -> Result<Regex, InvalidPattern> {
    if text.chars().count() > MAX_LENGTH {
        return Err(InvalidPattern::TooLong);
    }
    // By itself first: "a)(b" would be a valid expression within the group below.
    compile(text)?;
    compile(&format!("^(?:{text})$"))
}

fn compile(text: &str) -> Result<Regex, InvalidPattern> {
    let built =
        RegexBuilder::new(text).size_limit(MAX_COMPILED).dfa_size_limit(MAX_COMPILED).build();
    built.map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => InvalidPattern::TooLarge,
        regex::Error::Syntax(message) if message.contains("look-around") => {
            InvalidPattern::NotLinear
        }
        regex::Error::Syntax(message) if message.contains("backreferences") => {
            InvalidPattern::NotLinear
        }
        regex::Error::Syntax(message) => InvalidPattern::Syntax(last_line(&message)),
        other => InvalidPattern::Syntax(last_line(&other.to_string())),
    })
}

/// The reason in a message of `regex`, which draws the pattern above it.
fn last_line(message: &str) -> String {
    let line = message.lines().last().unwrap_or_default().trim();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_matches_whole_values() {
        let order = pattern("[A-Z]{2}-[0-9]+|none").expect("a pattern");
        assert!(order.is_match("AB-17") && order.is_match("none"));
        assert!(!order.is_match("AB-17 and more") && !order.is_match("nonesuch"));
    }

    #[test]
    fn patterns_that_could_be_slow_or_large_are_refused() {
        assert_eq!(pattern("(?=a)b").unwrap_err(), InvalidPattern::NotLinear);
        assert_eq!(pattern(r"(a)\1").unwrap_err(), InvalidPattern::NotLinear);
        assert_eq!(pattern(r"((\w{50}){50}){50}").unwrap_err(), InvalidPattern::TooLarge);
        assert_eq!(pattern(&"a".repeat(501)).unwrap_err(), InvalidPattern::TooLong);
        assert_eq!(pattern("(a").unwrap_err(), InvalidPattern::Syntax("unclosed group".to_owned()));
        assert_eq!(
            pattern("a)(b").unwrap_err(),
            InvalidPattern::Syntax("unopened group".to_owned())
        );
    }

    #[test]
    fn a_pattern_with_nested_repetition_is_linear() {
        let nested = pattern("(a+)+").expect("a pattern");
        assert!(!nested.is_match(&format!("{}b", "a".repeat(100_000))));
    }
}
