//! Facets of the document list.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::DocumentStatusFilter;

/// Conditions on documents, as in the list; a document must match all of them.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct FacetQuery {
    /// Without it, only `active` documents; `all` for every status.
    #[serde(default)]
    #[param(inline)]
    pub status: Option<DocumentStatusFilter>,
    /// The file kind: pdf, docx, …
    #[serde(default, rename = "type")]
    #[param(max_length = 20, example = "pdf")]
    pub kind: Option<String>,
    /// How it was submitted: manual, batch, attachment, …
    #[serde(default)]
    #[param(max_length = 100, example = "manual")]
    pub source: Option<String>,
    #[serde(default)]
    #[param(max_length = 200)]
    pub tag: Option<String>,
    #[serde(default)]
    pub batch_id: Option<Uuid>,
    /// A part of the title or of the file name; not case-sensitive.
    #[serde(default)]
    #[param(max_length = 200)]
    pub search: Option<String>,
    /// Inclusive.
    #[serde(default)]
    pub from: Option<DateTime<Utc>>,
    /// Exclusive.
    #[serde(default)]
    pub to: Option<DateTime<Utc>>,
}

/// The facets of the documents.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct FacetsView {
    pub status: FacetView,
    /// File kinds.
    #[serde(rename = "type")]
    pub kind: FacetView,
    /// How they were submitted.
    pub source: FacetView,
    /// The 20 most frequent.
    pub tag: FacetView,
    /// The latest 20 batches of any of the documents, and the selected one.
    pub batches: Vec<BatchFacetView>,
}

/// The values of a facet, the most frequent first.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct FacetView {
    pub values: Vec<FacetValueView>,
    /// Whether all values are listed.
    pub is_complete: bool,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct FacetValueView {
    #[schema(example = "pdf")]
    pub value: String,
    pub documents: i64,
    /// Counting stopped early: there may be more.
    pub at_least: bool,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct BatchFacetView {
    pub batch_id: Uuid,
    pub name: Option<String>,
    pub created_at: DateTime<Utc>,
    /// How many of the documents belong to it.
    pub documents: i64,
    /// Counting stopped early: there may be more.
    #[serde(default)]
    pub at_least: bool,
}
