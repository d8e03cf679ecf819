//! What a worker answers: how it is, and what it has counted. It has nothing else to say, and nobody signs in.

use std::sync::Arc;

use api_types::HealthView;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use ops::Vitals;

use super::{health, metrics};
use crate::Metrics;
use crate::extract::peer_of;

#[derive(Clone, Debug)]
struct Watched {
    vitals: Vitals,
    metrics: Metrics,
}

/// `/metrics`, `/livez`, `/readyz` as a server has them; `/healthz` and `/health` are `/readyz`.
pub fn worker_router(vitals: Vitals, metrics: Metrics) -> Router {
    Router::new()
        .route("/metrics", get(counted))
        .route("/livez", get(health::live))
        .route("/readyz", get(ready))
        .route("/healthz", get(ready))
        .route("/health", get(ready))
        .with_state(Arc::new(Watched { vitals, metrics }))
}

async fn ready(State(watched): State<Arc<Watched>>) -> (StatusCode, Json<HealthView>) {
    health::told(watched.vitals.check_readiness().await)
}

async fn counted(State(watched): State<Arc<Watched>>, request: Request) -> Response {
    if !watched.metrics.are_for(peer_of(request.extensions()), request.headers()) {
        return (StatusCode::NOT_FOUND, metrics::REFUSAL).into_response();
    }
    // While the database is away the queues are not known; what was counted is.
    if let Err(error) = watched.vitals.measure_queues().await {
        tracing::debug!(%error, "the queues were not measured");
    }
    watched.vitals.measure_sandbox();
    metrics::written(&watched.metrics)
}
