//! Whether the server lives and can serve.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum HealthStatus {
    Ok,
    /// It works in part; what does not is in the problem. Whoever restarts the server gains nothing.
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
    /// Everything the server needs to serve; empty where only life was asked for.
    pub dependencies: Vec<DependencyView>,
}
