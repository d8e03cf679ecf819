//! Errors (RFC 9457).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// One of several problems of a request, or of the values of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FieldProblem {
    /// Where: `fields[3].patterns[0]` in a definition, `trades.0.isin` in a result. Empty when it is about the whole.
    #[schema(example = "fields[3].patterns[0]")]
    pub path: String,
    /// What is wrong and what to do about it.
    #[schema(example = "must have 1 to 100 characters, and not only spaces")]
    pub message: String,
}

/// What happened and what to do about it (`application/problem+json`).
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    /// A URI for the kind of problem: `about:blank#` and the code.
    #[serde(rename = "type")]
    pub kind: String,
    /// A short name of the HTTP status.
    #[schema(example = "Not found")]
    pub title: String,
    /// The HTTP status.
    #[schema(example = 404)]
    pub status: u16,
    /// What happened, and what to do now.
    #[schema(example = "This user does not exist, or you don't have access.")]
    pub detail: String,
    /// The error code, for programs; stable across versions.
    #[schema(example = "not_found")]
    pub code: String,
    /// The id of the request in the server's log. Include it when you ask for help.
    #[schema(example = "4bf92f3577b34da6a3ce929d0e0e4736")]
    pub trace_id: String,
    /// The invalid field of the request, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// All problems, where a request can have several: the definition of a document type.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 20)]
    pub errors: Vec<FieldProblem>,
}
