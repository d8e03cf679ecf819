//! Document types as data: a JSON Schema of the values, and for each field how to find it on a page.
//!
//! Built-in types are the files in `types/`. Tenants add their own, and versions of them.

use std::collections::BTreeMap;

use domain::FieldKind;
use serde::{Deserialize, Serialize};
use serde_json::Value;

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
    #[serde(default)]
    pub phrases: BTreeMap<String, Vec<String>>,
    /// JSON Schema (draft 2020-12) of the values, as [`values`](crate::types) nests them.
    pub schema: Value,
    pub fields: Vec<FieldSpec>,
    #[serde(default)]
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
    #[serde(default)]
    pub labels: BTreeMap<String, Vec<String>>,
    /// Regular expressions (linear time) that the value must match.
    #[serde(default)]
    pub patterns: Vec<String>,
    /// For the kind `choice`: each value with the words that express it.
    #[serde(default)]
    pub choices: BTreeMap<String, Vec<String>>,
    /// A missing value needs review.
    #[serde(default)]
    pub required: bool,
    /// Never accepted without a reviewer.
    #[serde(default)]
    pub must_review: bool,
}

/// A relation between fields of one document, or of one trade or line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "snake_case", deny_unknown_fields)]
pub enum Constraint {
    /// `total` = the sum of `add` − the sum of `subtract`. Missing terms count as 0 when `optional` lists them.
    Sum {
        name: String,
        total: String,
        add: Vec<String>,
        #[serde(default)]
        subtract: Vec<String>,
        #[serde(default)]
        optional: Vec<String>,
        /// Only for documents or groups where this field has this value: `{"side": "buy"}`.
        #[serde(default)]
        when: BTreeMap<String, String>,
    },
    /// `product` = the product of `factors`.
    Product {
        name: String,
        product: String,
        factors: Vec<String>,
        #[serde(default)]
        when: BTreeMap<String, String>,
    },
    /// `earlier` ≤ `later`.
    DateOrder { name: String, earlier: String, later: String },
    /// The sum of a field over all lines = a field of the header.
    LineSum { name: String, field: String, total: String },
}
