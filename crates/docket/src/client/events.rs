//! Follows `GET /v1/events`, and reconnects after an interruption.

use std::time::Duration;

use connect::events::{Event, Events};
use serde_json::Value;
use tokio::sync::mpsc;

use super::{Client, ClientError};

/// An event, or a change of the connection.
#[derive(Debug, PartialEq)]
pub(super) enum StreamItem {
    /// No event is missed from now on; some may have been before.
    Connected,
    Event {
        topic: String,
        payload: Value,
    },
    /// Until the next [`StreamItem::Connected`] nothing is received.
    Lost,
}

/// Follows until the receiver is dropped, or the server refuses the credentials.
pub(super) fn follow(client: Client) -> mpsc::UnboundedReceiver<StreamItem> {
    let (items, received) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        let mut last_event = None;
        loop {
            match follow_once(&client, &mut last_event, &items).await {
                Err(ClientError::Refused(problem)) if matches!(problem.status, 401 | 403) => return,
                // The server does not know this event id.
                Err(ClientError::Refused(_)) => last_event = None,
                _ => {}
            }
            if items.send(StreamItem::Lost).is_err() {
                return;
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    });
    received
}

/// Three times the longest time between two messages of a server.
const SILENCE: Duration = Duration::from_secs(45);

async fn follow_once(
    client: &Client,
    last_event: &mut Option<String>,
    items: &mpsc::UnboundedSender<StreamItem>,
) -> Result<(), ClientError> {
    let mut response = client.follow("/v1/events", last_event.as_deref()).await?;
    let mut is_closed = items.send(StreamItem::Connected).is_err();
    let (mut events, mut complete) = (Events::default(), Vec::new());
    while !is_closed {
        let chunk = tokio::select! {
            chunk = tokio::time::timeout(SILENCE, response.chunk()) => chunk,
            () = items.closed() => return Ok(()),
        };
        let Ok(Ok(Some(chunk))) = chunk else { return Ok(()) };
        if events.read(&chunk, &mut complete).is_err() {
            return Ok(());
        }
        for Event { id, name, data } in complete.drain(..) {
            let Some(event) = parse_event(name, &data) else { continue };
            *last_event = id.or(last_event.take());
            is_closed |= items.send(event).is_err();
        }
    }
    Ok(())
}

/// `None` for an event without a JSON payload.
fn parse_event(name: String, data: &str) -> Option<StreamItem> {
    let payload = serde_json::from_str(data).ok()?;
    Some(StreamItem::Event { topic: name, payload })
}
