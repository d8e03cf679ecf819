//! What the list of documents can be narrowed down by.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::DocumentStatusFilter;

/// Which documents are counted; all conditions hold together, as in the list.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct FacetQuery {
    /// Only those that are served (`active`) when left out; `all` for every state.
    #[serde(default)]
    #[param(inline)]
    pub status: Option<DocumentStatusFilter>,
    /// The kind of file: pdf, docx, …
    #[serde(default, rename = "type")]
    #[param(max_length = 20, example = "pdf")]
    pub kind: Option<String>,
    /// Which way it came in: manual, batch, attachment, …
    #[serde(default)]
    #[param(max_length = 100, example = "manual")]
    pub source: Option<String>,
    #[serde(default)]
    #[param(max_length = 200)]
    pub tag: Option<String>,
    #[serde(default)]
    pub batch_id: Option<Uuid>,
    /// A part of the title or of the file's name, in capitals or not.
    #[serde(default)]
    #[param(max_length = 200)]
    pub search: Option<String>,
    /// Not before this moment.
    #[serde(default)]
    pub from: Option<DateTime<Utc>>,
    /// Before this moment.
    #[serde(default)]
    pub to: Option<DateTime<Utc>>,
}

/// What documents could be narrowed down by.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct FacetsView {
    pub status: FacetView,
    /// Kinds of files.
    #[serde(rename = "type")]
    pub kind: FacetView,
    /// Ways they came in.
    pub source: FacetView,
    /// The 20 most frequent.
    pub tag: FacetView,
    /// The latest 20 that any of the documents came with, and the chosen one.
    pub batches: Vec<BatchFacetView>,
}

/// The values of a facet, the most frequent first.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct FacetView {
    pub values: Vec<FacetValueView>,
    /// Every value that there is, is listed.
    pub is_complete: bool,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct FacetValueView {
    #[schema(example = "pdf")]
    pub value: String,
    pub documents: i64,
    /// Counting stopped: there may be more.
    pub at_least: bool,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct BatchFacetView {
    pub batch_id: Uuid,
    pub name: Option<String>,
    pub created_at: DateTime<Utc>,
    /// Those of the documents that came with it.
    pub documents: i64,
    /// Counting stopped: there may be more.
    #[serde(default)]
    pub at_least: bool,
}
