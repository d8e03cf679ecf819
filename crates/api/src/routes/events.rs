//! What happens, as it happens: server-sent events.

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
use crate::serve::Stopping;

/// Often enough for proxies that cut silent connections.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Follow what happens
///
/// Server-sent events about what the caller may see: `document.queued`, `document.started`, `document.paused`,
/// `document.completed`, `document.failed`, `document.renamed`, `batch.completed`, `batch.partial`; and, for callers who see all
/// documents, `dead_jobs.changed` when the list of dead jobs has changed. After an interruption,
/// `Last-Event-ID` goes on behind the last event that was seen; nothing is missed.
///
/// Two messages have no `id`, so that they leave `Last-Event-ID` as it is:
/// - `document.progress` tells how far a stage is that is under way: `doc_id`, `run_id`, `stage`, `done` and `total`. It
///   is sent about once a second and is not kept.
/// - `stream.reset` comes first when events are missing between the last one that was seen and the next one: read anew
///   what you show. Its `reason` is `events_pruned` (events are kept for as many days as `events_kept_days` says) or
///   `unknown_event` (nothing is known of that event). The stream goes on with the oldest event that is kept.
///
/// The stream ends when the caller's access does: signed out, deactivated, revoked or expired.
#[utoipa::path(
    get, path = "/events", tag = "events", operation_id = "follow_events",
    params(LastEventIdHeader),
    responses((status = 200, body = String, content_type = "text/event-stream", description = "The events, as they happen"), Guarded, Checked),
    security(("bearer" = [])),
)]
pub(crate) async fn follow(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    stopping: Option<Extension<Stopping>>,
    headers: HeaderMap,
) -> Result<Response, ApiProblem> {
    let after = match headers.get("last-event-id") {
        None => None,
        Some(value) => {
            let id: Result<EventId, ()> = value.to_str().map_err(|_| ()).and_then(str::parse);
            Some(id.map_err(|()| {
                ApiProblem::invalid("Last-Event-ID must be the id of an event that was sent")
                    .for_field("Last-Event-ID")
            })?)
        }
    };
    let following = api.ops.events.follow_events(&caller, after).await?;
    let events = stream::unfold(following, |mut following| async {
        let next = following.next().await?;
        let event = Event::default().event(next.topic).data(next.payload.to_string());
        let event = match next.id {
            Some(id) => event.id(id.to_string()),
            None => event,
        };
        Some((Ok::<_, Infallible>(event), following))
    });
    // Followers never finish by themselves; they would hold up a server that is told to stop.
    let end = async move {
        match stopping {
            Some(Extension(Stopping(stop))) => stop.cancelled_owned().await,
            None => std::future::pending().await,
        }
    };
    let events = events.take_until(Box::pin(end));
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response())
}
