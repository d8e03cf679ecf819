//! The schema mapping of a batch: which document type its documents have.
//!
//! It is the name of one document type, or an object whose keys are patterns and whose values are names. A pattern with a
//! slash is compared with the media type, every other one with the file name; `*` stands for any characters, `?` for one.
//! Of several patterns that match, one of the file name is used before one of the media type, and a longer one before a
//! shorter one, because the database does not preserve the order of keys.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::AUTOMATIC_TYPE;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SchemaMapping {
    /// The type of all documents.
    One(String),
    /// Types by pattern.
    ByPattern(BTreeMap<String, String>),
}

#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum InvalidSchemaMapping {
    #[error(
        "schema_mapping must be the name of a document type, or an object of patterns and names: {{\"*.pdf\": \"invoice\"}}."
    )]
    Form,
    #[error(
        "'{0}' is not the name of a document type: use lower-case letters, digits and underscores."
    )]
    Name(String),
    #[error("A pattern has at least 1 and at most {} characters.", SchemaMapping::LONGEST_PATTERN)]
    Pattern,
    #[error("schema_mapping has at least 1 and at most {} patterns.", SchemaMapping::MOST_PATTERNS)]
    Count,
}

impl SchemaMapping {
    pub const MOST_PATTERNS: usize = 100;
    pub const LONGEST_PATTERN: usize = 200;

    /// Reads and checks a mapping. Whether the types exist is checked where they are known.
    pub fn read(json: Value) -> Result<Self, InvalidSchemaMapping> {
        let mapping: Self = serde_json::from_value(json).map_err(|_| InvalidSchemaMapping::Form)?;
        if let Self::ByPattern(patterns) = &mapping {
            if patterns.is_empty() || patterns.len() > Self::MOST_PATTERNS {
                return Err(InvalidSchemaMapping::Count);
            }
            let is_valid = |pattern: &String| (1..=Self::LONGEST_PATTERN).contains(&pattern.len());
            if !patterns.keys().all(is_valid) {
                return Err(InvalidSchemaMapping::Pattern);
            }
        }
        let invalid = mapping.types().find(|name| !is_type_name(name)).map(str::to_owned);
        invalid.map_or(Ok(mapping), |name| Err(InvalidSchemaMapping::Name(name)))
    }

    /// The names of the types.
    pub fn types(&self) -> impl Iterator<Item = &str> {
        let (one, many) = match self {
            Self::One(name) => (Some(name), None),
            Self::ByPattern(patterns) => (None, Some(patterns.values())),
        };
        one.into_iter().chain(many.into_iter().flatten()).map(String::as_str)
    }

    /// The type of a document. `None`: the classifier decides.
    pub fn type_for(&self, media_type: &str, file_name: &str) -> Option<&str> {
        self.name_for(media_type, file_name).filter(|name| *name != AUTOMATIC_TYPE)
    }

    fn name_for(&self, media_type: &str, file_name: &str) -> Option<&str> {
        match self {
            Self::One(name) => Some(name),
            Self::ByPattern(patterns) => {
                let matching = patterns.iter().filter(|(pattern, _)| {
                    let text = if is_of_media_type(pattern) { media_type } else { file_name };
                    matches(pattern, text)
                });
                let best = matching
                    .min_by_key(|(pattern, _)| (is_of_media_type(pattern), Reverse(pattern.len())));
                best.map(|(_, name)| name.as_str())
            }
        }
    }
}

/// Whether this may be the name of a document type.
pub fn is_type_name(name: &str) -> bool {
    let is_valid = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_');
    name.len() <= 63
        && name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.bytes().all(is_valid)
}

fn is_of_media_type(pattern: &str) -> bool {
    pattern.contains('/')
}

/// Ignores upper and lower case. After a mismatch it tries again at the last `*` only, so that the time is bounded by the
/// product of both lengths.
fn matches(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.to_lowercase().chars().collect();
    let text: Vec<char> = text.to_lowercase().chars().collect();
    let (mut at, mut of) = (0, 0);
    // Where to continue after a mismatch: the place after the last `*`, and what it stands for up to now.
    let mut last_star: Option<(usize, usize)> = None;
    while at < text.len() {
        match pattern.get(of) {
            Some('*') => {
                of += 1;
                last_star = Some((of, at));
            }
            Some(expected) if *expected == '?' || *expected == text[at] => {
                of += 1;
                at += 1;
            }
            _ => {
                let Some((after, covered)) = last_star else { return false };
                last_star = Some((after, covered + 1));
                (of, at) = (after, covered + 1);
            }
        }
    }
    pattern[of..].iter().all(|rest| *rest == '*')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn one_name_is_the_type_of_all_documents() {
        let mapping = SchemaMapping::read(json!("invoice")).unwrap();
        assert_eq!(mapping.type_for("text/plain", "a.txt"), Some("invoice"));
    }

    #[test]
    fn the_most_specific_pattern_decides() {
        let mapping = SchemaMapping::read(json!({
            "application/pdf": "contract_note", "image/*": "receipt", "*invoice*": "invoice",
            "*invoice*draft?.pdf": "draft",
        }));
        let mapping = mapping.unwrap();
        for (media_type, name, expected) in [
            ("application/pdf", "note.pdf", Some("contract_note")),
            ("image/png", "IMG_2.png", Some("receipt")),
            ("application/pdf", "March INVOICE 7.pdf", Some("invoice")),
            ("application/pdf", "invoice, draft2.pdf", Some("draft")),
            ("text/plain", "letter.txt", None),
        ] {
            assert_eq!(mapping.type_for(media_type, name), expected, "{name}");
        }
    }

    #[test]
    fn the_automatic_type_lets_the_classifier_decide() {
        let mapping = SchemaMapping::read(json!({"*.pdf": "invoice", "*scan*.pdf": "auto"}));
        let mapping = mapping.unwrap();
        assert_eq!(mapping.type_for("application/pdf", "a.pdf"), Some("invoice"));
        assert_eq!(mapping.type_for("application/pdf", "scan 7.pdf"), None);
    }

    #[test]
    fn a_pattern_matches_as_a_whole_and_in_bounded_time() {
        assert!(matches("*", "") && matches("a*b*c", "aXbYbc") && matches("ÄB?", "äbc"));
        assert!(!matches("a", "ab") && !matches("", "a") && !matches("a*b", "ac"));
        assert!(!matches(&"*a".repeat(100), &"a".repeat(99)));
        assert!(!matches(&format!("{}b", "*a".repeat(90)), &"a".repeat(50_000)));
    }

    #[test]
    fn an_invalid_mapping_is_refused() {
        for (json, expected) in [
            (json!(7), InvalidSchemaMapping::Form),
            (json!({ "*.pdf": ["invoice"] }), InvalidSchemaMapping::Form),
            (json!({}), InvalidSchemaMapping::Count),
            (json!({ "": "invoice" }), InvalidSchemaMapping::Pattern),
            (json!("My Invoice"), InvalidSchemaMapping::Name("My Invoice".to_owned())),
            (json!({ "*": "" }), InvalidSchemaMapping::Name(String::new())),
            (json!("7up"), InvalidSchemaMapping::Name("7up".to_owned())),
        ] {
            assert_eq!(SchemaMapping::read(json), Err(expected));
        }
    }
}
