//! Server-sent events.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt, stream};
use ops::EventId;

use crate::Api;
use crate::extract::SignedInCaller;
use crate::openapi::{Checked, Guarded, LastEventIdHeader};
use crate::problem::ApiProblem;
use crate::serve::ShuttingDown;

/// Often enough for proxies that cut silent connections.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Follow events
///
/// Server-sent events about the documents and batches that the caller may see: `document.queued`, `document.started`,
/// `document.paused`, `document.completed`, `document.failed`, `document.renamed`, `document.result_created`,
/// `batch.completed`, `batch.partial`; and, for callers who see all documents, `dead_jobs.changed` when the list of dead jobs has changed. After an interruption, send the id of the
/// last event as `Last-Event-ID`: the stream resumes after it, and no event is missed.
///
/// Two messages have no `id`, so they do not change `Last-Event-ID`:
/// - `document.progress` reports the progress of a running stage: `doc_id`, `run_id`, `stage`, `done` and `total`. It is
///   sent about once a second and is not stored.
/// - `stream.reset` is the first message if events are missing after the `Last-Event-ID`. Reload the data that you show.
///   Its `reason` is `events_pruned` (the missing events were deleted; the setting `events_kept_days` says how long events
///   are kept) or `unknown_event` (the server does not know that id). The stream continues with the oldest stored event.
///
/// The stream ends when the caller's access ends: signed out, deactivated, revoked or expired.
#[utoipa::path(
    get, path = "/events", tag = "events", operation_id = "follow_events",
    params(LastEventIdHeader),
    responses((status = 200, body = String, content_type = "text/event-stream", description = "A stream of events"), Guarded, Checked),
    security(("bearer" = [])),
)]
pub(crate) async fn follow(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    shutting_down: Option<Extension<ShuttingDown>>,
    headers: HeaderMap,
) -> Result<Response, ApiProblem> {
    let after = match headers.get("last-event-id") {
        None => None,
        Some(value) => {
            let id: Result<EventId, ()> = value.to_str().map_err(|_| ()).and_then(str::parse);
            Some(id.map_err(|()| {
                ApiProblem::invalid("Last-Event-ID must be the id of an event of this stream.")
                    .for_field("Last-Event-ID")
            })?)
        }
    };
    let follower = api.ops.events.follow_events(&caller, after).await?;
    let events = stream::unfold(follower, |mut follower| async {
        let next = follower.next().await?;
        let event = Event::default().event(next.topic).data(next.payload.to_string());
        let event = match next.id {
            Some(id) => event.id(id.to_string()),
            None => event,
        };
        Some((Ok::<_, Infallible>(event), follower))
    });
    // Streams do not end by themselves, so they would delay a graceful shutdown.
    let end = async move {
        match shutting_down {
            Some(Extension(ShuttingDown(stop))) => stop.cancelled_owned().await,
            None => std::future::pending().await,
        }
    };
    let events = events.take_until(Box::pin(end));
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response())
}
