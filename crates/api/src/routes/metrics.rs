//! What this process has counted, for Prometheus.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::extract::peer_of;
use crate::openapi::Measured;
use crate::problem::ApiProblem;
use crate::{Api, Metrics};

/// Read the metrics
///
/// In the text format of Prometheus. They hold counts and times of this process and the queues of all tenants,
/// and nobody's data. They are for clients on this machine, and for whoever presents the `metrics_token` as a bearer token.
/// What a reverse proxy forwards is not from this machine, unless the proxy is trusted and says so.
#[utoipa::path(
    get, path = "/metrics", tag = "health", operation_id = "metrics",
    responses((status = 200, body = String, content_type = "text/plain", description = "The metrics"), Measured),
)]
pub(crate) async fn metrics(
    State(api): State<Arc<Api>>,
    request: Request,
) -> Result<Response, ApiProblem> {
    if !api.settings.metrics.are_for(peer_of(request.extensions()), request.headers()) {
        return Err(ApiProblem::new(StatusCode::NOT_FOUND, "not_found", REFUSAL));
    }
    // While the database is away the queues are not known; what was counted is.
    if let Err(error) = api.ops.operations.measure_queues().await {
        tracing::debug!(%error, "the queues were not measured");
    }
    api.ops.operations.measure_sandbox();
    Ok(written(&api.settings.metrics))
}

pub(crate) const REFUSAL: &str = "metrics are for clients on the server's own machine; metrics_token and metrics_for_everybody change that";

pub(crate) fn written(metrics: &Metrics) -> Response {
    let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
    (kind, metrics.text()).into_response()
}
