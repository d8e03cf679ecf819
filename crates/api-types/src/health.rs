//! Liveness and readiness.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum HealthStatus {
    Ok,
    /// It works in part; `problem` says what does not. A restart does not help.
    Degraded,
    Unavailable,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct DependencyView {
    #[schema(example = "database")]
    pub name: String,
    pub status: HealthStatus,
    /// What is wrong with it.
    pub problem: Option<String>,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct HealthView {
    pub status: HealthStatus,
    pub version: String,
    /// The dependencies of the server; empty for liveness.
    pub dependencies: Vec<DependencyView>,
}
