//! Life and readiness, under the names that orchestrators and the API's users know.

use std::sync::Arc;

use api_types::{DependencyView, HealthStatus, HealthView};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use ops::Readiness;

use crate::Api;

/// Is the process alive
#[utoipa::path(
    get, path = "/livez", tag = "health",
    responses((status = 200, body = HealthView, description = "How the server is")),
)]
pub(crate) async fn live() -> Json<HealthView> {
    Json(view(Vec::new()))
}

/// Can the process serve
///
/// Names everything it depends on. A server that works in part (`degraded`: it takes documents in and finds them,
/// and reads none because its sandbox is missing) answers 200.
#[utoipa::path(
    get, path = "/readyz", tag = "health",
    responses(
        (status = 200, body = HealthView, description = "How the server is"),
        (status = 503, body = HealthView, description = "Something it depends on is away"),
    ),
)]
pub(crate) async fn ready(State(api): State<Arc<Api>>) -> (StatusCode, Json<HealthView>) {
    readiness(&api).await
}

/// Is the process alive (alias)
///
/// The same as `GET /livez`.
#[utoipa::path(
    get, path = "/api/health", tag = "health",
    responses((status = 200, body = HealthView, description = "How the server is")),
)]
pub(crate) async fn api_live() -> Json<HealthView> {
    Json(view(Vec::new()))
}

/// Can the process serve (alias)
///
/// The same as `GET /readyz`.
#[utoipa::path(
    get, path = "/api/ready", tag = "health",
    responses(
        (status = 200, body = HealthView, description = "How the server is"),
        (status = 503, body = HealthView, description = "Something it depends on is away"),
    ),
)]
pub(crate) async fn api_ready(State(api): State<Arc<Api>>) -> (StatusCode, Json<HealthView>) {
    readiness(&api).await
}

async fn readiness(api: &Api) -> (StatusCode, Json<HealthView>) {
    told(api.ops.operations.check_readiness().await)
}

pub(crate) fn told(readiness: Readiness) -> (StatusCode, Json<HealthView>) {
    let status =
        if readiness.is_ready() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let dependencies = readiness.dependencies.into_iter().map(|dependency| DependencyView {
        name: dependency.name.to_owned(),
        status: match (&dependency.problem, dependency.is_essential) {
            (None, _) => HealthStatus::Ok,
            (Some(_), false) => HealthStatus::Degraded,
            (Some(_), true) => HealthStatus::Unavailable,
        },
        problem: dependency.problem,
    });
    (status, Json(view(dependencies.collect())))
}

/// As well as the dependency that is worst off.
fn view(dependencies: Vec<DependencyView>) -> HealthView {
    let is_any = |status| dependencies.iter().any(|dependency| dependency.status == status);
    let worst_first = [HealthStatus::Unavailable, HealthStatus::Degraded];
    HealthView {
        status: worst_first.into_iter().find(|status| is_any(*status)).unwrap_or(HealthStatus::Ok),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        dependencies,
    }
}
