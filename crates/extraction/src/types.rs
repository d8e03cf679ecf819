//! Document types as data: a JSON Schema of the values, and for each field how to find it on a page.
//!
//! Built-in types are the files in `types/`. Tenants add their own, and versions of them. A definition that somebody
//! sends is checked by [`DocumentType::validate`] before it is used; `docs/document-types.md` explains the format.

mod builtin;
mod json_schema;
mod patterns;
mod stored_definition;
mod validation;
mod values;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use builtin::builtin;
pub use domain::{Constraint, FieldSpec, split_group};
pub use patterns::{InvalidPattern, pattern};
pub use stored_definition::UnreadableDefinition;
pub use validation::{InvalidType, TypeProblem};
pub use values::{SchemaProblem, values};

/// The groups of fields that repeat. A field of a group is called `trades[].isin`.
pub const GROUPS: [&str; 2] = ["trades", "lines"];

/// A document type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DocumentType {
    /// Lower-case letters, digits and underscores.
    pub name: String,
    pub title: String,
    #[serde(default)]
    pub description: String,
    /// Phrases that such documents contain, by language; the classifier uses them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub phrases: BTreeMap<String, Vec<String>>,
    /// JSON Schema (draft 2020-12) of the values, as [`values()`] nests them.
    pub schema: Value,
    /// Empty for a type whose fields are the labelled values that a page has.
    pub fields: Vec<FieldSpec>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<Constraint>,
}
