//! The HTTP routes of a worker: health and metrics, without authentication.

use std::sync::Arc;

use api_types::HealthView;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use ops::ReadinessProbe;

use super::{health, metrics};
use crate::Metrics;
use crate::extract::peer_of;

#[derive(Clone, Debug)]
struct WorkerState {
    readiness_probe: ReadinessProbe,
    metrics: Metrics,
}

/// `/metrics`, `/livez`, `/readyz` as a server has them; `/healthz` and `/health` are `/readyz`.
pub fn worker_router(readiness_probe: ReadinessProbe, metrics: Metrics) -> Router {
    Router::new()
        .route("/metrics", get(metrics_text))
        .route("/livez", get(health::live))
        .route("/readyz", get(ready))
        .route("/healthz", get(ready))
        .route("/health", get(ready))
        .with_state(Arc::new(WorkerState { readiness_probe, metrics }))
}

async fn ready(State(worker): State<Arc<WorkerState>>) -> (StatusCode, Json<HealthView>) {
    health::readiness_response(worker.readiness_probe.check_readiness().await)
}

async fn metrics_text(State(worker): State<Arc<WorkerState>>, request: Request) -> Response {
    if !worker.metrics.is_permitted(peer_of(request.extensions()), request.headers()) {
        return (StatusCode::NOT_FOUND, metrics::REFUSAL).into_response();
    }
    // While the database is unavailable, the metrics of the process itself are still served.
    if let Err(error) = worker.readiness_probe.measure_queues().await {
        tracing::debug!(%error, "the queues were not measured");
    }
    worker.readiness_probe.measure_sandbox();
    metrics::render(&worker.metrics)
}
