//! The values of a result as the JSON that the schema of its type describes.

use domain::{Extraction, FieldGroup};
use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{DocumentType, json_schema};

/// Problems that one check reports.
const MAX_PROBLEMS: usize = 100;

/// A value that the schema of its type does not allow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SchemaProblem {
    /// The field: `seller.name`, `trades.0.isin`. Empty when it is the document as a whole.
    pub path: String,
    /// What is wrong, without the value itself.
    pub message: String,
}

/// Nests the fields of a result by their dotted names: `seller.name` is `name` in the object `seller`.
///
/// Every value is a string: amounts, quantities and rates are decimal strings, because a JSON number would lose digits
/// in most programs; dates are ISO 8601. A field without a value is left out. The groups that the type has are there
/// even when they are empty.
pub fn values(document_type: &DocumentType, extraction: &Extraction) -> Value {
    let mut object = nested(&extraction.fields);
    for (group, items) in [("trades", &extraction.trades), ("lines", &extraction.lines)] {
        let is_declared = document_type.fields.iter().any(|field| field.group().0 == Some(group));
        if is_declared || !items.is_empty() {
            let items = items.iter().map(|fields| Value::Object(nested(fields))).collect();
            object.insert(group.to_owned(), Value::Array(items));
        }
    }
    Value::Object(object)
}

fn nested(fields: &FieldGroup) -> Map<String, Value> {
    let mut object = Map::new();
    for (name, field) in fields {
        let Some(value) = &field.value else { continue };
        let segments: Vec<&str> = name.split('.').collect();
        if !insert(&mut object, &segments, value) {
            // Another field has the name of one of the objects: this one keeps its dotted name.
            object.insert(name.clone(), Value::String(value.clone()));
        }
    }
    object
}

/// Whether there was a place for the value.
fn insert(object: &mut Map<String, Value>, segments: &[&str], value: &str) -> bool {
    match segments {
        [] => false,
        [last] => {
            let is_free = !object.contains_key(*last);
            if is_free {
                object.insert((*last).to_owned(), Value::String(value.to_owned()));
            }
            is_free
        }
        [first, rest @ ..] => {
            let entry = object.entry(*first).or_insert_with(|| Value::Object(Map::new()));
            entry.as_object_mut().is_some_and(|inner| insert(inner, rest, value))
        }
    }
}

impl DocumentType {
    /// Checks values, as [`values()`] nests them, against the schema of the type.
    pub fn check_values(&self, values: &Value) -> Vec<SchemaProblem> {
        let unusable = |message: String| {
            let message = format!("the document type '{}' cannot be used: {message}", self.name);
            vec![SchemaProblem { path: String::new(), message }]
        };
        let inspected = match json_schema::inspect(&self.schema) {
            Ok(inspected) => inspected,
            Err(problems) => {
                let first = problems.first().map(ToString::to_string);
                return unusable(first.unwrap_or_default());
            }
        };
        match inspected.compile() {
            Ok(validator) => validator
                .iter_errors(values)
                .take(MAX_PROBLEMS)
                .map(|error| problem(&error))
                .collect(),
            Err(problem) => unusable(problem.to_string()),
        }
    }
}

fn problem(error: &ValidationError<'_>) -> SchemaProblem {
    let mut path: Vec<String> = error
        .instance_path()
        .as_str()
        .split('/')
        .skip(1)
        .map(|segment| segment.replace("~1", "/").replace("~0", "~"))
        .collect();
    let message = match error.kind() {
        ValidationErrorKind::Required { property } => {
            path.extend(property.as_str().map(str::to_owned));
            "is required, but it has no value".to_owned()
        }
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            path.extend(unexpected.first().cloned());
            "is not a field of the schema".to_owned()
        }
        ValidationErrorKind::Type { kind: TypeKind::Single(kind) } => {
            format!("must be of the type {kind}")
        }
        ValidationErrorKind::Pattern { pattern } => {
            format!("does not match the pattern '{pattern}'")
        }
        ValidationErrorKind::Format { format } => format!("is not in the format '{format}'"),
        ValidationErrorKind::Enum { options } => format!("must be one of {options}"),
        ValidationErrorKind::Constant { expected_value } => format!("must be {expected_value}"),
        ValidationErrorKind::MinItems { limit } => format!("must have at least {limit} item(s)"),
        ValidationErrorKind::MaxItems { limit } => format!("must have at most {limit} item(s)"),
        ValidationErrorKind::MinLength { limit } => {
            format!("must have at least {limit} character(s)")
        }
        ValidationErrorKind::MaxLength { limit } => {
            format!("must have at most {limit} character(s)")
        }
        ValidationErrorKind::AnyOf { .. } | ValidationErrorKind::OneOfNotValid { .. } => {
            "fits none of the alternatives in the schema".to_owned()
        }
        ValidationErrorKind::OneOfMultipleValid { .. } => {
            "fits more than one of the alternatives in the schema".to_owned()
        }
        other => format!("breaks the rule '{}' of the schema", other.keyword()),
    };
    SchemaProblem { path: path.join("."), message }
}
