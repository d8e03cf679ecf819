//! Errors, as RFC 9457 has them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What went wrong and what to do about it (`application/problem+json`).
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    /// A URI for the kind of problem: `about:blank#` and the code.
    #[serde(rename = "type")]
    pub kind: String,
    /// The kind of problem in a few words.
    #[schema(example = "Not found")]
    pub title: String,
    /// The HTTP status.
    #[schema(example = 404)]
    pub status: u16,
    /// What happened this time, and what to do.
    #[schema(example = "there is no such user")]
    pub detail: String,
    /// The kind of problem for programs; does not change between versions.
    #[schema(example = "not_found")]
    pub code: String,
    /// Quote this when you ask for help: it finds the request in the logs.
    #[schema(example = "4bf92f3577b34da6a3ce929d0e0e4736")]
    pub trace_id: String,
    /// The field of the request that is at fault, when it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
}
