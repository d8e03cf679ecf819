//! Sends the trace context with calls, so that services can continue the trace.

use domain::TraceContext;
use reqwest::RequestBuilder;

tokio::task_local! {
    static TRACE: TraceContext;
}

/// Runs `work` with this trace for all calls that it makes in its own task.
pub async fn in_trace<F: Future>(trace: Option<TraceContext>, work: F) -> F::Output {
    match trace {
        Some(trace) => TRACE.scope(trace, work).await,
        None => work.await,
    }
}

/// Adds the `traceparent` header when there is a trace.
pub(crate) fn with_trace(request: RequestBuilder) -> RequestBuilder {
    match TRACE.try_with(|trace| trace.to_traceparent()) {
        Ok(header) => request.header("traceparent", header),
        Err(_) => request,
    }
}
