//! Document types: which fields are extracted from which documents.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::{Extraction, FieldKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::FieldProblem;

/// The definition of a document type. The guide "Document types" explains it.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DocumentTypeDefinition {
    /// Lower-case letters, digits and underscores. In a request it may be left out: the path has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 63, example = "delivery_note")]
    pub name: Option<String>,
    #[schema(max_length = 200)]
    pub title: String,
    #[serde(default)]
    #[schema(max_length = 2000)]
    pub description: String,
    /// Phrases that such documents contain, by language (ISO 639-1). The classifier uses them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub phrases: BTreeMap<String, Vec<String>>,
    /// JSON Schema (draft 2020-12) of the values. References lead within the schema and must not be recursive.
    pub schema: Value,
    #[schema(max_items = 200)]
    pub fields: Vec<FieldDefinition>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 50)]
    pub constraints: Vec<ConstraintDefinition>,
}

/// A field of a document type, and how to find it on a page.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FieldDefinition {
    /// Dotted; a field that repeats begins with `trades[].` or `lines[].`.
    #[schema(example = "lines[].quantity")]
    pub name: String,
    pub kind: FieldKind,
    /// The words beside or above the value, by language (ISO 639-1).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, Vec<String>>,
    /// Regular expressions, one of which the whole value must match. Without look-around and back references.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 10)]
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

/// A relation between fields of one document, or of one trade or line. Fields are named with their group.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(tag = "rule", rename_all = "snake_case", deny_unknown_fields)]
pub enum ConstraintDefinition {
    /// `total` = the sum of `add` − the sum of `subtract`. Missing terms count as 0 when `optional` lists them.
    Sum {
        name: String,
        total: String,
        add: Vec<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        subtract: Vec<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        optional: Vec<String>,
        /// Only where this field has this value.
        #[serde(default, skip_serializing_if = "FieldConditions::is_empty")]
        when: FieldConditions,
    },
    /// `product` = the product of `factors`.
    Product {
        name: String,
        product: String,
        factors: Vec<String>,
        /// Only where this field has this value.
        #[serde(default, skip_serializing_if = "FieldConditions::is_empty")]
        when: FieldConditions,
    },
    /// `earlier` is not after `later`.
    DateOrder { name: String, earlier: String, later: String },
    /// The sum of a field over all lines or trades = a field of the document.
    LineSum { name: String, field: String, total: String },
}

/// Names of fields with the values that they must have.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
pub struct FieldConditions(BTreeMap<String, String>);

impl FieldConditions {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Who defined a document type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DocumentTypeOrigin {
    /// Part of Docket.
    BuiltIn,
    /// The tenant.
    Own,
}

/// A document type, without its definition.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct DocumentTypeSummary {
    pub name: String,
    pub title: String,
    pub description: String,
    pub origin: DocumentTypeOrigin,
    /// The tenant's own type is used instead of the built-in one of the same name.
    pub replaces_built_in: bool,
    /// 0 for a built-in type; the versions of an own type are counted from 1.
    pub version: u32,
    /// When this version was created; null for a built-in type.
    pub created_at: Option<DateTime<Utc>>,
    /// Who created this version: an email address or the name of an API key.
    pub created_by: Option<String>,
    /// How many fields it has.
    pub field_count: usize,
}

/// A document type with its definition.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct DocumentTypeView {
    #[serde(flatten)]
    pub summary: DocumentTypeSummary,
    pub definition: DocumentTypeDefinition,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct DocumentTypeList {
    /// All types that documents can have now, by name.
    pub items: Vec<DocumentTypeSummary>,
}

/// A version of a document type.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct DocumentTypeVersionView {
    /// 0 for the built-in type of the same name.
    pub version: u32,
    /// With this version the tenant withdrew the type; it has no definition.
    pub is_withdrawal: bool,
    pub created_at: Option<DateTime<Utc>>,
    pub created_by: Option<String>,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct DocumentTypeVersions {
    /// The latest first; at most 1,000.
    pub items: Vec<DocumentTypeVersionView>,
}

/// Which version of a document type to get.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct DocumentTypeQuery {
    /// A version; by default the current one. 0 is the built-in type.
    pub version: Option<u32>,
}

/// A document to try a document type on.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DryRunRequest {
    pub document_id: Uuid,
    /// The definition to try, which need not be stored; by default the current version of the type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<DocumentTypeDefinition>,
}

/// What a document type extracts from a document. Nothing of it is stored.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct DocumentTypeDryRun {
    #[serde(flatten)]
    pub extraction: Extraction,
    /// The stored version that was tried. Null for a definition in the request, and when no type was recognised.
    pub type_version: Option<u32>,
    /// Values that the schema of the type does not allow; at most 100.
    pub problems: Vec<FieldProblem>,
}
