//! Why a request does not have the expected form, as a sentence for the client.
//!
//! serde describes expectations in terms of Rust (`expected u32`, `struct SearchBody`). [`Mismatch`] is the error type of
//! the deserializers in this folder, and turns them into plain sentences. Of the request it repeats only field names.

use std::fmt;

use serde::de::{Error, Expected, Unexpected};

use crate::problem::ApiProblem;

/// What is wrong, and with which field.
#[derive(Debug)]
pub(crate) struct Mismatch {
    /// From the innermost step to the outermost.
    path: Vec<Step>,
    fault: Fault,
}

#[derive(Debug)]
enum Step {
    Field(String),
    Item(usize),
}

#[derive(Debug)]
enum Fault {
    /// The expected type in serde's words.
    WrongType(String),
    OutOfRange,
    NotOneOf(&'static [&'static str]),
    Missing(&'static str),
    Repeated(&'static str),
    Unknown {
        name: String,
        known: &'static [&'static str],
    },
    /// The message of the type's own parser.
    Other(String),
}

/// How to name a field and the whole input in sentences.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wording {
    pub(crate) field: &'static str,
    pub(crate) whole: &'static str,
}

/// The most characters of an unknown field's name that are repeated to the client.
const MAX_NAME: usize = 100;

impl Mismatch {
    fn new(fault: Fault) -> Self {
        Self { path: Vec::new(), fault }
    }

    pub(super) fn wrong_type(expected: &dyn Expected) -> Self {
        Self::new(Fault::WrongType(expected.to_string()))
    }

    pub(super) fn out_of_range() -> Self {
        Self::new(Fault::OutOfRange)
    }

    pub(super) fn not_one_of(variants: &'static [&'static str]) -> Self {
        Self::new(Fault::NotOneOf(variants))
    }

    pub(super) fn within_field(mut self, name: &str) -> Self {
        self.path.push(Step::Field(clean(name)));
        self
    }

    pub(super) fn within_item(mut self, index: usize) -> Self {
        self.path.push(Step::Item(index));
        self
    }

    /// Replaces the message of a type's own parser by the expected type, if that is a well-known one.
    pub(super) fn or_expected(self, expected: &str) -> Self {
        match self.fault {
            Fault::Other(_) if self.path.is_empty() && in_plain_words(expected).is_some() => {
                Self::new(Fault::WrongType(expected.to_owned()))
            }
            _ => self,
        }
    }

    /// The invalid field; empty for the whole input.
    fn field(&self) -> String {
        let mut field = String::new();
        for step in self.path.iter().rev() {
            match step {
                Step::Field(name) if field.is_empty() => field.push_str(name),
                Step::Field(name) => field = format!("{field}.{name}"),
                Step::Item(index) => field = format!("{field}[{index}]"),
            }
        }
        let last = match &self.fault {
            Fault::Missing(name) | Fault::Repeated(name) => (*name).to_owned(),
            Fault::Unknown { name, .. } => clean(name),
            _ => return field,
        };
        if field.is_empty() { last } else { format!("{field}.{last}") }
    }

    fn sentence(&self, field: &str, wording: Wording) -> String {
        let subject = if field.is_empty() { wording.whole } else { field };
        match &self.fault {
            Fault::WrongType(expected) => {
                let expected = in_plain_words(expected);
                format!("{subject} must be {}.", expected.as_deref().unwrap_or("of another type"))
            }
            Fault::OutOfRange => format!("{subject} is too small or too large."),
            Fault::NotOneOf(known) => format!("{subject} must be one of {}.", known.join(", ")),
            Fault::Missing(_) => format!("{subject} is required."),
            Fault::Repeated(_) => format!("{subject} is given more than once."),
            Fault::Unknown { known: [], .. } => {
                format!("Unknown {} {subject}.", wording.field)
            }
            Fault::Unknown { known, .. } => {
                format!("Unknown {} {subject}. Known: {}.", wording.field, known.join(", "))
            }
            Fault::Other(text) => format!("{subject} is not valid: {text}"),
        }
    }

    pub(crate) fn into_sentence(self, wording: Wording) -> String {
        let field = self.field();
        self.sentence(&field, wording)
    }

    pub(crate) fn into_problem(self, wording: Wording) -> ApiProblem {
        let field = self.field();
        let problem = ApiProblem::invalid(self.sentence(&field, wording));
        if field.is_empty() { problem } else { problem.for_field(field) }
    }
}

/// Removes control characters from a name that the client chose, and limits its length.
fn clean(name: &str) -> String {
    name.chars().filter(|character| !character.is_control()).take(MAX_NAME).collect()
}

/// Translates an expectation of serde into plain words; `None` if it is not a well-known one.
fn in_plain_words(expected: &str) -> Option<String> {
    let words = match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" | "i8" | "i16" | "i32" | "i64" | "isize" => {
            "a whole number"
        }
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "a string" | "a borrowed string" => "a text",
        "a sequence" => "a list",
        "a map" => "an object",
        text if text.contains("UUID") => "a UUID, such as 0199a2c4-7f3a-7cc1-8a52-5d1f0c3b9e21",
        text if text.contains("RFC 3339") => {
            "a date and time with a time zone, such as 2026-02-15T12:00:00Z"
        }
        "a formatted date string" => "a date, such as 2026-02-15",
        other => {
            if let Some(length) = other.strip_prefix("an array of length ") {
                return Some(format!("a list of {length} values"));
            }
            return other.starts_with("struct ").then(|| "an object".to_owned());
        }
    };
    Some(words.to_owned())
}

impl fmt::Display for Mismatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wording = Wording { field: "field", whole: "The value" };
        formatter.write_str(&self.sentence(&self.field(), wording))
    }
}

impl std::error::Error for Mismatch {}

impl Error for Mismatch {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(Fault::Other(message.to_string()))
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::wrong_type(expected)
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        match found {
            Unexpected::Unsigned(_) | Unexpected::Signed(_) => Self::out_of_range(),
            _ => Self::wrong_type(expected),
        }
    }

    fn invalid_length(_: usize, expected: &dyn Expected) -> Self {
        Self::wrong_type(expected)
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Self::not_one_of(expected)
    }

    fn unknown_field(name: &str, known: &'static [&'static str]) -> Self {
        Self::new(Fault::Unknown { name: name.to_owned(), known })
    }

    fn missing_field(name: &'static str) -> Self {
        Self::new(Fault::Missing(name))
    }

    fn duplicate_field(name: &'static str) -> Self {
        Self::new(Fault::Repeated(name))
    }
}
