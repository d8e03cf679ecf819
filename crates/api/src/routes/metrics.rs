//! Prometheus metrics.

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
/// In the text format of Prometheus. They contain counts and times of this process and of the queues of all tenants, but no
/// tenant's data. Clients on this machine can read them, and clients that send the `metrics_token` as a bearer token. A
/// request through a reverse proxy does not count as from this machine, unless the proxy is trusted and says so.
#[utoipa::path(
    get, path = "/metrics", tag = "health", operation_id = "metrics",
    responses((status = 200, body = String, content_type = "text/plain", description = "The metrics"), Measured),
)]
pub(crate) async fn metrics(
    State(api): State<Arc<Api>>,
    request: Request,
) -> Result<Response, ApiProblem> {
    if !api.settings.metrics.is_permitted(peer_of(request.extensions()), request.headers()) {
        return Err(ApiProblem::new(StatusCode::NOT_FOUND, "not_found", REFUSAL));
    }
    // While the database is unavailable, the metrics of the process itself are still served.
    if let Err(error) = api.ops.operations.measure_queues().await {
        tracing::debug!(%error, "the queues were not measured");
    }
    api.ops.operations.measure_sandbox();
    Ok(render(&api.settings.metrics))
}

pub(crate) const REFUSAL: &str = "Only clients on the server's machine can read the metrics. The settings metrics_token and metrics_for_everybody change that.";

pub(crate) fn render(metrics: &Metrics) -> Response {
    let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
    (kind, metrics.text()).into_response()
}
