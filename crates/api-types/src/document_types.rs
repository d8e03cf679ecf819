//! Document types: which fields are extracted from which documents.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::{Constraint, Extraction, FieldSpec};
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
    pub fields: Vec<FieldSpec>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 50)]
    pub constraints: Vec<Constraint>,
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
