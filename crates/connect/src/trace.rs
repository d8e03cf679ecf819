//! The trace that calls belong to: services that keep traces find the request in theirs.

use domain::TraceContext;
use reqwest::RequestBuilder;

tokio::task_local! {
    static TRACE: TraceContext;
}

/// Work whose calls belong to this trace, as far as it calls from its own task.
pub async fn in_trace<F: Future>(trace: Option<TraceContext>, work: F) -> F::Output {
    match trace {
        Some(trace) => TRACE.scope(trace, work).await,
        None => work.await,
    }
}

/// Sends the trace along, where there is one.
pub(crate) fn marked(request: RequestBuilder) -> RequestBuilder {
    match TRACE.try_with(|trace| trace.to_traceparent()) {
        Ok(header) => request.header("traceparent", header),
        Err(_) => request,
    }
}
