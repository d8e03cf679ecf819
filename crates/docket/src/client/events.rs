//! Following `GET /v1/events`, across interruptions.

use std::time::Duration;

use connect::events::{Event, Events};
use serde_json::Value;
use tokio::sync::mpsc;

use super::{Client, ClientError};

/// What comes out of following.
#[derive(Debug, PartialEq)]
pub(super) enum Heard {
    /// From here on nothing is missed; before, something may have been.
    Connected,
    Event {
        topic: String,
        payload: Value,
    },
    /// Until the next [`Heard::Connected`] nothing is heard.
    Lost,
}

/// Follows until nobody listens any more, or the server does not let us.
pub(super) fn follow(client: Client) -> mpsc::UnboundedReceiver<Heard> {
    let (told, heard) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        let mut last_event = None;
        loop {
            match follow_once(&client, &mut last_event, &told).await {
                Err(ClientError::Refused(problem)) if matches!(problem.status, 401 | 403) => return,
                // An id that this server does not know the meaning of.
                Err(ClientError::Refused(_)) => last_event = None,
                _ => {}
            }
            if told.send(Heard::Lost).is_err() {
                return;
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    });
    heard
}

/// Three times as long as a server is ever silent.
const SILENCE: Duration = Duration::from_secs(45);

async fn follow_once(
    client: &Client,
    last_event: &mut Option<String>,
    told: &mpsc::UnboundedSender<Heard>,
) -> Result<(), ClientError> {
    let mut response = client.follow("/v1/events", last_event.as_deref()).await?;
    let mut nobody_listens = told.send(Heard::Connected).is_err();
    let (mut events, mut complete) = (Events::default(), Vec::new());
    while !nobody_listens {
        let chunk = tokio::select! {
            chunk = tokio::time::timeout(SILENCE, response.chunk()) => chunk,
            () = told.closed() => return Ok(()),
        };
        let Ok(Ok(Some(chunk))) = chunk else { return Ok(()) };
        if events.read(&chunk, &mut complete).is_err() {
            return Ok(());
        }
        for Event { id, name, data } in complete.drain(..) {
            let Some(event) = heard(name, &data) else { continue };
            *last_event = id.or(last_event.take());
            nobody_listens |= told.send(event).is_err();
        }
    }
    Ok(())
}

/// `None` for an event that is none of ours.
fn heard(name: String, data: &str) -> Option<Heard> {
    let payload = serde_json::from_str(data).ok()?;
    Some(Heard::Event { topic: name, payload })
}
