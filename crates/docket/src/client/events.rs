//! Following `GET /v1/events`, across interruptions.

use std::time::Duration;

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
    let mut lines = Lines::default();
    while !nobody_listens {
        let chunk = tokio::select! {
            chunk = tokio::time::timeout(SILENCE, response.chunk()) => chunk,
            () = told.closed() => return Ok(()),
        };
        let Ok(Ok(Some(chunk))) = chunk else { return Ok(()) };
        for (id, event) in lines.read(&chunk) {
            *last_event = id.or(last_event.take());
            nobody_listens |= told.send(event).is_err();
        }
    }
    Ok(())
}

/// The text of a stream of events, cut where the network likes.
#[derive(Debug, Default)]
struct Lines {
    rest: Vec<u8>,
    id: Option<String>,
    topic: String,
    data: String,
}

impl Lines {
    /// The events that are complete now, with their ids.
    fn read(&mut self, chunk: &[u8]) -> Vec<(Option<String>, Heard)> {
        self.rest.extend_from_slice(chunk);
        let mut events = Vec::new();
        while let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.rest.drain(..=end).collect();
            let line = String::from_utf8_lossy(&line);
            events.extend(self.line(line.trim_end_matches(['\r', '\n'])));
        }
        events
    }

    fn line(&mut self, line: &str) -> Option<(Option<String>, Heard)> {
        if line.is_empty() {
            let (id, topic, data) = (self.id.take(), &mut self.topic, &mut self.data);
            let (topic, data) = (std::mem::take(topic), std::mem::take(data));
            let payload = serde_json::from_str(&data).ok()?;
            return Some((id, Heard::Event { topic, payload }));
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "id" => self.id = Some(value.to_owned()),
            "event" => value.clone_into(&mut self.topic),
            "data" => self.data.push_str(value),
            // A comment, which keeps the connection alive, or something new.
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn events_are_read_wherever_the_network_cuts_them() {
        let text = ":\n\nid: 1-a\nevent: document.started\ndata: {\"n\": \"é\"}\n\n:\n\nid: 2-b\r\n\
                    event: document.failed\r\ndata: 7\r\n\r\nevent: document.progress\ndata: 8\n\nid: 3";
        let event = |id: Option<&str>, topic: &str, payload| {
            (id.map(str::to_owned), Heard::Event { topic: topic.to_owned(), payload })
        };
        let wanted = [
            event(Some("1-a"), "document.started", json!({ "n": "é" })),
            event(Some("2-b"), "document.failed", json!(7)),
            event(None, "document.progress", json!(8)),
        ];
        for size in 1..text.len() {
            let mut lines = Lines::default();
            let read: Vec<_> =
                text.as_bytes().chunks(size).flat_map(|chunk| lines.read(chunk)).collect();
            assert_eq!(read, wanted, "in pieces of {size}");
        }
    }
}
