//! The middleware of every request: trace and span, timeout, panics, problem documents, headers and log.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use domain::{Random, TraceContext, TraceId, panic_message};
use futures_util::FutureExt;
use tracing::Instrument;

use crate::Api;
use crate::extract::is_form;
use crate::problem::ApiProblem;
use crate::same_origin;

/// The timeout of an upload. A client that sends nothing times out much earlier.
const UPLOAD_TIMEOUT: Duration = Duration::from_hours(6);

const TRACE_ID: HeaderName = HeaderName::from_static("x-trace-id");

/// The default policy: pages cannot be framed, and load nothing from other origins.
const CONTENT_SECURITY_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
     base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
);

pub(crate) async fn handle(
    State(api): State<Arc<Api>>,
    mut request: Request,
    next: Next,
) -> Response {
    let trace = trace_of(request.headers(), api.ops.random().as_ref());
    let trace_id = trace.request_id();
    request.extensions_mut().insert(trace);
    let method = request.method().clone();
    // The span has no path, because the path of a link contains its token.
    let span = tracing::info_span!(
        "request",
        trace_id = %trace.trace_id(),
        span_id = %trace.span_id(),
        %method,
        tenant_id = tracing::field::Empty,
    );
    let path = request.uri().path().to_owned();

    let limit =
        if is_form(request.headers()) { UPLOAD_TIMEOUT } else { api.settings.request_timeout };
    let rejected = match api.settings.development_caller {
        Some(_) => same_origin::check(request.headers()).err(),
        None => None,
    };
    let handled = async {
        match rejected {
            Some(problem) => problem.into_response(),
            None => next.run(request).await,
        }
    };
    let handled = AssertUnwindSafe(handled.instrument(span.clone())).catch_unwind();
    let mut response = match tokio::time::timeout(limit, handled).await {
        Ok(Ok(response)) => response,
        Ok(Err(panic)) => {
            let cause = format!("panic: {}", panic_message(panic.as_ref()));
            ApiProblem::internal(cause).into_response()
        }
        Err(_) => {
            ApiProblem::unavailable("The request took too long. Try again.", None).into_response()
        }
    };

    let _entered = span.enter();
    if let Some(problem) = response.extensions_mut().remove::<ApiProblem>() {
        if problem.status.is_server_error() {
            let cause = problem.cause.as_deref().unwrap_or(&problem.detail);
            tracing::error!(%trace_id, %method, path, status = problem.status.as_u16(), cause, "request failed");
        }
        let allow = response.headers_mut().remove(header::ALLOW);
        response = problem.into_document(trace_id);
        if let Some(allow) = allow {
            response.headers_mut().insert(header::ALLOW, allow);
        }
    }
    tracing::debug!(%trace_id, %method, path, status = response.status().as_u16(), "request");
    add_headers(response.headers_mut(), trace_id);
    response
}

/// A span in the client's trace, or else a new trace. The audit log has the id of the request
/// ([`TraceContext::request_id`]), which clients cannot choose.
fn trace_of(headers: &HeaderMap, random: &dyn Random) -> TraceContext {
    let mut bytes = [0; 16];
    random.fill(&mut bytes);
    let own = TraceContext::new(u128::from_be_bytes(bytes));
    let given = headers.get("traceparent").and_then(|value| value.to_str().ok());
    match given.and_then(TraceContext::from_traceparent) {
        Some(caller) => caller.child(own.span_id()),
        None => own,
    }
}

fn add_headers(headers: &mut HeaderMap, trace_id: TraceId) {
    if let Ok(value) = HeaderValue::try_from(trace_id.to_string()) {
        headers.insert(TRACE_ID, value);
    }
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(CONTENT_SECURITY_POLICY);
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}

/// The problem document for a rejection of axum's extractors.
pub(crate) fn rejection_problem(status: StatusCode) -> ApiProblem {
    match status {
        StatusCode::PAYLOAD_TOO_LARGE => {
            ApiProblem::new(status, "too_large", "The request body is too large.")
        }
        StatusCode::UNSUPPORTED_MEDIA_TYPE => ApiProblem::new(
            status,
            "unsupported_media_type",
            "Send a JSON body with Content-Type: application/json.",
        ),
        _ => ApiProblem::invalid("The request body did not arrive completely. Send it again."),
    }
}
