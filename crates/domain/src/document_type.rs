//! The parts of a document type that its definition in the API and extraction share: fields and constraints.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::FieldKind;

/// A field of a document type, and how to find it on a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = FieldDefinition))]
#[serde(deny_unknown_fields)]
pub struct FieldSpec {
    /// Dotted; a field that repeats begins with `trades[].` or `lines[].`.
    #[cfg_attr(feature = "openapi", schema(example = "lines[].quantity"))]
    pub name: String,
    pub kind: FieldKind,
    /// The words beside or above the value, by language (ISO 639-1).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, Vec<String>>,
    /// Regular expressions, one of which the whole value must match. Without look-around and back references.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "openapi", schema(max_items = 10))]
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
/// Fields are named with their group: `trades[].net_amount`. All fields of a constraint are in the same group, or all in
/// none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = ConstraintDefinition))]
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
        #[cfg_attr(feature = "openapi", schema(value_type = FieldConditions))]
        when: BTreeMap<String, String>,
    },
    /// `product` = the product of `factors`.
    Product {
        name: String,
        product: String,
        factors: Vec<String>,
        /// As for a sum.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        #[cfg_attr(feature = "openapi", schema(value_type = FieldConditions))]
        when: BTreeMap<String, String>,
    },
    /// `earlier` ≤ `later`.
    DateOrder { name: String, earlier: String, later: String },
    /// The sum of a field over all lines or trades = a field of the header.
    LineSum { name: String, field: String, total: String },
}

/// Names of fields with the values that they must have. A type of its own in the OpenAPI document, because client generators do
/// not support maps within the variants of an enum.
#[cfg(feature = "openapi")]
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(transparent)]
pub struct FieldConditions(BTreeMap<String, String>);

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
