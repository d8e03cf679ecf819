//! Liveness and readiness.

use std::sync::Arc;

use api_types::{DependencyView, HealthStatus, HealthView};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use ops::Readiness;

use crate::Api;

/// Liveness
#[utoipa::path(
    get, path = "/livez", tag = "health",
    responses((status = 200, body = HealthView, description = "The state of the server")),
)]
pub(crate) async fn live() -> Json<HealthView> {
    Json(view(Vec::new()))
}

/// Readiness
///
/// Lists the state of each dependency. A server that works in part responds 200 with `degraded`: for example, without a
/// sandbox it accepts and finds documents, but does not read new ones.
#[utoipa::path(
    get, path = "/readyz", tag = "health",
    responses(
        (status = 200, body = HealthView, description = "The state of the server"),
        (status = 503, body = HealthView, description = "An essential dependency is unavailable"),
    ),
)]
pub(crate) async fn ready(State(api): State<Arc<Api>>) -> (StatusCode, Json<HealthView>) {
    readiness(&api).await
}

/// Liveness (alias)
///
/// The same as `GET /livez`.
#[utoipa::path(
    get, path = "/api/health", tag = "health",
    responses((status = 200, body = HealthView, description = "The state of the server")),
)]
pub(crate) async fn api_live() -> Json<HealthView> {
    Json(view(Vec::new()))
}

/// Readiness (alias)
///
/// The same as `GET /readyz`.
#[utoipa::path(
    get, path = "/api/ready", tag = "health",
    responses(
        (status = 200, body = HealthView, description = "The state of the server"),
        (status = 503, body = HealthView, description = "An essential dependency is unavailable"),
    ),
)]
pub(crate) async fn api_ready(State(api): State<Arc<Api>>) -> (StatusCode, Json<HealthView>) {
    readiness(&api).await
}

async fn readiness(api: &Api) -> (StatusCode, Json<HealthView>) {
    readiness_response(api.ops.operations.check_readiness().await)
}

pub(crate) fn readiness_response(readiness: Readiness) -> (StatusCode, Json<HealthView>) {
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

/// The overall status is that of the worst dependency.
fn view(dependencies: Vec<DependencyView>) -> HealthView {
    let is_any = |status| dependencies.iter().any(|dependency| dependency.status == status);
    let worst_first = [HealthStatus::Unavailable, HealthStatus::Degraded];
    HealthView {
        status: worst_first.into_iter().find(|status| is_any(*status)).unwrap_or(HealthStatus::Ok),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        dependencies,
    }
}
