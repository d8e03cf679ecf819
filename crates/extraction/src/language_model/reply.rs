//! Reading the answer of a model.
//!
//! The answer must be the JSON object of the schema: an unknown name or a value of another type makes all of it
//! unusable. A missing name counts as null, because not every server enforces a schema.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use thiserror::Error;

use super::task::{MAX_ITEMS, MAX_TERMS, longest_value};
use crate::types::{DocumentType, FieldSpec, GROUPS};

/// The longest answer that is read, in bytes.
pub const MAX_REPLY: usize = 256 << 10;

/// The values of a document, trade or line: the index of the field in the document type, and the texts.
pub(super) type Values = BTreeMap<usize, Vec<String>>;

/// What a model says about a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Reply {
    pub(super) header: Values,
    /// By the name of the group.
    pub(super) groups: BTreeMap<&'static str, Vec<Values>>,
    /// Values that are too long, or too many.
    pub(super) excess: u32,
}

/// Why an answer cannot be used. It quotes nothing of the answer.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum InvalidReply {
    #[error("the answer is too long")]
    TooLong,
    #[error("the answer is not a JSON object")]
    NotAnObject,
    #[error("the answer has a name that the schema does not have")]
    UnknownName,
    #[error("the answer has a value of another type than the schema")]
    WrongType,
}

impl Reply {
    pub(super) fn read(document_type: &DocumentType, text: &str) -> Result<Self, InvalidReply> {
        if text.len() > MAX_REPLY {
            return Err(InvalidReply::TooLong);
        }
        let parsed = serde_json::from_str(without_fence(text));
        let Ok(Value::Object(mut object)) = parsed else { return Err(InvalidReply::NotAnObject) };
        let mut reply = Self::default();
        for group in GROUPS {
            let is_known = document_type.fields.iter().any(|spec| spec.group().0 == Some(group));
            if !is_known {
                continue;
            }
            let items = match object.remove(group) {
                None | Some(Value::Null) => Vec::new(),
                Some(Value::Array(items)) => items,
                Some(_) => return Err(InvalidReply::WrongType),
            };
            reply.excess +=
                u32::try_from(items.len().saturating_sub(MAX_ITEMS)).unwrap_or(u32::MAX);
            for item in items.into_iter().take(MAX_ITEMS) {
                let Value::Object(item) = item else { return Err(InvalidReply::WrongType) };
                let values = reply.values(document_type, Some(group), item)?;
                reply.groups.entry(group).or_default().push(values);
            }
        }
        reply.header = reply.values(document_type, None, object)?;
        Ok(reply)
    }

    fn values(
        &mut self,
        document_type: &DocumentType,
        group: Option<&str>,
        object: Map<String, Value>,
    ) -> Result<Values, InvalidReply> {
        let mut values = Values::new();
        for (name, value) in object {
            let mut specs = document_type.fields.iter().enumerate();
            let found = specs.find(|(_, spec)| spec.group() == (group, name.as_str()));
            let (index, spec) = found.ok_or(InvalidReply::UnknownName)?;
            let texts = texts(spec, value)?;
            let count = texts.len();
            let mut kept: Vec<String> = texts
                .into_iter()
                .map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
                .filter(|text| text.chars().count() <= longest_value(spec.kind))
                .take(MAX_TERMS)
                .collect();
            self.excess += u32::try_from(count - kept.len()).unwrap_or(u32::MAX);
            kept.retain(|text| !is_nothing(text));
            if !kept.is_empty() {
                values.insert(index, kept);
            }
        }
        Ok(values)
    }
}

fn texts(spec: &FieldSpec, value: Value) -> Result<Vec<String>, InvalidReply> {
    let text = |value| match value {
        Value::String(text) => Ok(text),
        _ => Err(InvalidReply::WrongType),
    };
    match value {
        Value::Null => Ok(Vec::new()),
        Value::Array(items) if spec.additive => items.into_iter().map(text).collect(),
        value if !spec.additive => Ok(vec![text(value)?]),
        _ => Err(InvalidReply::WrongType),
    }
}

/// What models write instead of null.
fn is_nothing(text: &str) -> bool {
    text.chars().all(|c| !c.is_alphanumeric())
        || ["null", "none", "n/a", "unknown"].iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// The content of the first code block, when there is one: models that a server does not hold to a schema write them.
fn without_fence(text: &str) -> &str {
    let Some((_, after)) = text.split_once("```") else { return text };
    let content = after.split_once('\n').map_or(after, |(_, content)| content);
    content.split_once("```").map_or(content, |(content, _)| content)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn document_type() -> DocumentType {
        let json = json!({
            "name": "note", "title": "Note", "schema": { "type": "object" },
            "fields": [
                { "name": "number", "kind": "id" },
                { "name": "fees", "kind": "money", "additive": true },
                { "name": "lines[].name", "kind": "text" },
            ],
        });
        serde_json::from_value(json).unwrap()
    }

    fn read(text: &str) -> Result<Reply, InvalidReply> {
        Reply::read(&document_type(), text)
    }

    #[test]
    fn an_answer_is_read_with_and_without_a_code_block() {
        let json = r#"{"number":" A  7 ","fees":["1,00","2,00"],"lines":[{"name":"Paper"},{"name":null}]}"#;
        let plain = read(json).unwrap();
        assert_eq!(
            plain.header,
            Values::from([(0, vec!["A 7".into()]), (1, vec!["1,00".into(), "2,00".into()])])
        );
        let lines = vec![Values::from([(2, vec!["Paper".into()])]), Values::new()];
        assert_eq!(plain.groups["lines"], lines);
        for fenced in [
            format!("```json\n{json}\n```"),
            format!("Here it is:\n```\n{json}\n```\nDone."),
            format!("```json\n{json}"),
        ] {
            assert_eq!(read(&fenced), Ok(plain.clone()), "{fenced}");
        }
    }

    #[test]
    fn what_is_missing_or_says_nothing_has_no_value() {
        let empty = read(r#"{"number":"N/A","fees":null,"lines":null}"#).unwrap();
        assert_eq!(empty, Reply::default());
        assert_eq!(read("{}").unwrap(), empty);
        assert_eq!(read(r#"{"number":"—"}"#).unwrap(), empty);
    }

    #[test]
    fn other_answers_are_refused_as_a_whole() {
        let refused = [
            ("", InvalidReply::NotAnObject),
            ("The number is 7.", InvalidReply::NotAnObject),
            ("[]", InvalidReply::NotAnObject),
            (r#"{"number":"7""#, InvalidReply::NotAnObject),
            (r#"{"number":"7","total":"9"}"#, InvalidReply::UnknownName),
            (r#"{"lines":[{"number":"7"}]}"#, InvalidReply::UnknownName),
            (r#"{"number":7}"#, InvalidReply::WrongType),
            (r#"{"number":["7"]}"#, InvalidReply::WrongType),
            (r#"{"fees":"1,00"}"#, InvalidReply::WrongType),
            (r#"{"lines":["Paper"]}"#, InvalidReply::WrongType),
            (r#"{"lines":{"name":"Paper"}}"#, InvalidReply::WrongType),
        ];
        for (text, error) in refused {
            assert_eq!(read(text), Err(error), "{text}");
        }
        let deep = "[".repeat(100_000);
        assert_eq!(read(&deep), Err(InvalidReply::NotAnObject));
        let huge = format!("{{\"number\":\"{}\"}}", "7".repeat(MAX_REPLY));
        assert_eq!(read(&huge), Err(InvalidReply::TooLong));
    }

    #[test]
    fn values_beyond_the_bounds_are_left_out_and_counted() {
        let long = format!(r#"{{"number":"{}"}}"#, "7".repeat(61));
        let reply = read(&long).unwrap();
        assert_eq!((reply.header.len(), reply.excess), (0, 1));
        let fees = vec!["1,00"; MAX_TERMS + 2];
        let reply = read(&json!({ "fees": fees }).to_string()).unwrap();
        assert_eq!((reply.header[&1].len(), reply.excess), (MAX_TERMS, 2));
        let lines = vec![json!({ "name": "Paper" }); MAX_ITEMS + 3];
        let reply = read(&json!({ "lines": lines }).to_string()).unwrap();
        assert_eq!((reply.groups["lines"].len(), reply.excess), (MAX_ITEMS, 3));
    }
}
