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

use domain::FieldKind;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use builtin::builtin;
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

/// A field of a document type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldSpec {
    /// Dotted; a field of a repeated group begins with `trades[].` or `lines[].`.
    pub name: String,
    pub kind: FieldKind,
    /// The words beside or above the value, by language (ISO 639-1).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, Vec<String>>,
    /// Regular expressions (linear time), one of which the whole value must match ([`pattern`] compiles them).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub patterns: Vec<String>,
    /// For the kind `choice`: each value with the words that express it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub choices: BTreeMap<String, Vec<String>>,
    /// The value is the sum of several amounts of the page: commission and exchange fee. Only for the kind `money`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub additive: bool,
    /// A missing value needs review.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// Never accepted without a reviewer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub must_review: bool,
}

/// A relation between fields of one document, or of one trade or line.
///
/// Fields are named as in [`FieldSpec::name`], with their group: `trades[].net_amount`. All fields of a constraint are
/// in the same group, or all in none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "snake_case", deny_unknown_fields)]
pub enum Constraint {
    /// `total` = the sum of `add` − the sum of `subtract`. Missing terms count as 0 when `optional` lists them.
    Sum {
        name: String,
        total: String,
        add: Vec<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        subtract: Vec<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        optional: Vec<String>,
        /// Only for documents or groups where this field has this value: `{"trades[].side": "buy"}`.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        when: BTreeMap<String, String>,
    },
    /// `product` = the product of `factors`.
    Product {
        name: String,
        product: String,
        factors: Vec<String>,
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        when: BTreeMap<String, String>,
    },
    /// `earlier` ≤ `later`.
    DateOrder { name: String, earlier: String, later: String },
    /// The sum of a field over all lines or trades = a field of the header.
    LineSum { name: String, field: String, total: String },
}

impl Constraint {
    pub fn name(&self) -> &str {
        match self {
            Self::Sum { name, .. }
            | Self::Product { name, .. }
            | Self::DateOrder { name, .. }
            | Self::LineSum { name, .. } => name,
        }
    }
}

impl FieldSpec {
    /// The group that the field repeats with, and its name within the group.
    pub fn group(&self) -> (Option<&str>, &str) {
        split_group(&self.name)
    }
}

/// `trades[].isin` → (`trades`, `isin`); `seller.name` → (none, `seller.name`).
pub fn split_group(name: &str) -> (Option<&str>, &str) {
    match name.split_once("[].") {
        Some((group, rest)) => (Some(group), rest),
        None => (None, name),
    }
}
