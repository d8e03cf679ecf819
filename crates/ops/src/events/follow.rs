//! Following the events of a tenant.
//!
//! A follower receives the events of its tenant in the order of their positions, after the last one it has seen: it misses
//! none and receives none twice, even if it reconnects to another server or the database was moved to another cluster.
//! A follower subscribes to the event reader of the process (`reader.rs`), then reads earlier events from the database.
//! It reads from the database again whenever the subscription has skipped something.
//!
//! Progress messages have no position and are not stored: a follower that is disconnected misses them.

use std::collections::VecDeque;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use domain::{Action, Caller, Clock, Scope};
use serde_json::{Value, json};
use store::{Audience, EventRecord, ResumedAt, Store, StoreError};
use uuid::Uuid;

use crate::access::continued_access::ContinuedAccess;
use crate::events::reader::{EventBatch, Subscription};
use crate::{Events, OpsError};

/// The id of an event, as clients send it back: `p`, its position, and its own id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventId {
    /// `None` in ids of the time before events had positions. Those begin with a hexadecimal transaction id, which is no
    /// longer used.
    position: Option<i64>,
    evt_id: Uuid,
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "p{}-{}", self.position.unwrap_or(0), self.evt_id.simple())
    }
}

impl FromStr for EventId {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (start, evt_id) = text.split_once('-').ok_or(())?;
        let position = match start.strip_prefix('p') {
            Some(position) => Some(position.parse().map_err(|_| ())?),
            None => u64::from_str_radix(start, 16).map(|_| None).map_err(|_| ())?,
        };
        Ok(Self { position, evt_id: Uuid::try_parse(evt_id).map_err(|_| ())? })
    }
}

/// An event, or a message about the stream itself.
#[derive(Clone, Debug)]
pub struct Event {
    /// `None` for messages that are not stored: progress, and messages about the stream itself.
    pub id: Option<EventId>,
    pub topic: String,
    pub payload: Value,
}

impl Event {
    /// Tells the client that events are missing after the last one that it has seen.
    fn reset(reason: &str) -> Self {
        let payload = json!({"reason": reason});
        Self { id: None, topic: "stream.reset".to_owned(), payload }
    }
}

/// The position of one follower in the stream, and events that it has not received yet.
pub struct EventFollower {
    store: Store,
    clock: Arc<dyn Clock>,
    scope: Arc<Scope>,
    access: ContinuedAccess,
    subscription: Subscription,
    /// The position of the last event that was read.
    position: i64,
    /// Whether the database may have later events that the subscription does not deliver.
    is_behind: bool,
    ready: VecDeque<Event>,
}

impl Events {
    /// Follows the events that the caller may see, after a given event or from now on.
    pub async fn follow_events(
        &self,
        caller: &Caller,
        after: Option<EventId>,
    ) -> Result<EventFollower, OpsError> {
        let scope = caller.permit(Action::SeeDocuments)?;
        self.store.number_events(scope.tenant_id()).await?;
        let mut tx = self.store.read(&scope).await?;
        let last = tx.last_event_position().await?;
        let resumed = match after {
            Some(id) => Some(tx.resume_events(id.evt_id, id.position).await?),
            None => None,
        };
        tx.commit().await?;
        let ready = match resumed {
            Some(ResumedAt { is_unknown: true, .. }) => Some(Event::reset("unknown_event")),
            Some(ResumedAt { is_pruned: true, .. }) => Some(Event::reset("events_pruned")),
            _ => None,
        };
        Ok(EventFollower {
            store: self.store.clone(),
            clock: Arc::clone(self.store.clock()),
            access: self.access.continued_access(caller),
            subscription: self.reader.subscribe(&scope, last),
            scope: Arc::new(scope),
            position: resumed.map_or(last, |resumed| resumed.position),
            is_behind: true,
            ready: ready.into_iter().collect(),
        })
    }
}

impl EventFollower {
    /// How often to check the caller's access while there are no events.
    const CHECK_ACCESS_EVERY: Duration = Duration::from_millis(500);
    const RETRY_DELAY: Duration = Duration::from_secs(1);
    /// The audience of a batch is determined when the batch is read. After this time it must be determined again.
    const MAX_BATCH_AGE: Duration = Duration::from_secs(5);
    const MAX_EVENTS_PER_READ: usize = 500;

    /// Waits for the next event. `None` once the caller has no access: they were deactivated or signed out, or their token
    /// or key expired or was revoked. While the database is unavailable it keeps trying.
    pub async fn next(&mut self) -> Option<Event> {
        while self.access.is_valid().await {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            if self.is_behind {
                if let Err(error) = self.catch_up().await {
                    tracing::debug!(%error, "cannot read events");
                    tokio::time::sleep(Self::RETRY_DELAY).await;
                }
                continue;
            }
            let batch = self.subscription.next();
            match tokio::time::timeout(Self::CHECK_ACCESS_EVERY, batch).await {
                Ok(Some(batch)) => self.apply(&batch),
                Ok(None) => self.is_behind = true,
                Err(_) => {}
            }
        }
        None
    }

    /// Reads from the database. Once it has no more events, the subscription, which began earlier, delivers the rest.
    async fn catch_up(&mut self) -> Result<(), StoreError> {
        let mut tx = self.store.read(&self.scope).await?;
        let limit = i64::try_from(Self::MAX_EVENTS_PER_READ).unwrap_or(i64::MAX);
        let events = tx.events_after(self.position, limit).await?;
        let subjects: Vec<Uuid> = events.iter().filter_map(subject).collect();
        let audience = match subjects.as_slice() {
            [] => Audience::default(),
            subjects => tx.audience_of(subjects).await?,
        };
        tx.commit().await?;
        self.ready.extend(events.iter().filter_map(|event| visible(event, &audience, &self.scope)));
        if let Some(last) = events.last() {
            self.position = last.position;
        }
        self.is_behind = events.len() >= Self::MAX_EVENTS_PER_READ;
        Ok(())
    }

    fn apply(&mut self, batch: &EventBatch) {
        let last = batch.events.last().map_or(batch.after, |event| event.position);
        let age = self.clock.elapsed().saturating_sub(batch.read_at);
        if batch.after > self.position || age > Self::MAX_BATCH_AGE {
            self.is_behind = last > self.position;
            return;
        }
        let (audience, scope) = (&batch.audience, &self.scope);
        // The follower may have read some of them from the database.
        let new = batch.events.iter().filter(|event| event.position > self.position);
        let progress = batch.progress.iter().filter_map(|job| {
            audience.own_title(job.doc_id, scope).ok()?;
            Some(Event { id: None, topic: PROGRESS.to_owned(), payload: job.payload() })
        });
        let events = new.filter_map(|event| visible(event, audience, scope)).chain(progress);
        self.ready.extend(events);
        self.position = self.position.max(last);
    }
}

const PROGRESS: &str = "document.progress";

/// An event as a follower sees it, with their own title. `None` if they may not see its document or batch. An event
/// without one is about the whole tenant, and not visible to callers who see only their own documents. An event with an
/// `owner` is visible to that owner only.
fn visible(event: &EventRecord, audience: &Audience, scope: &Scope) -> Option<Event> {
    let owner = event.payload["owner"].as_str();
    if owner.is_some_and(|owner| owner != scope.actor().to_string()) {
        return None;
    }
    let own_title = match subject(event) {
        Some(id) => audience.own_title(id, scope).ok()?,
        None if scope.only_own().is_some() => return None,
        None => None,
    };
    let mut payload = event.payload.clone();
    if let Some(fields) = payload.as_object_mut() {
        fields.remove("owner");
    }
    if let (Some(own_title), Some(title)) = (own_title, payload.get_mut("title")) {
        *title = Value::from(own_title);
    }
    let id = EventId { position: Some(event.position), evt_id: event.evt_id };
    Some(Event { id: Some(id), topic: event.topic.clone(), payload })
}

/// The document or batch an event is about.
pub(crate) fn subject(event: &EventRecord) -> Option<Uuid> {
    let id = |name: &str| event.payload[name].as_str().and_then(|id| Uuid::try_parse(id).ok());
    id("doc_id").or_else(|| id("batch_id"))
}

impl fmt::Debug for EventFollower {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventFollower").field("position", &self.position).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_id_round_trips() {
        let id = EventId { position: Some(4711), evt_id: Uuid::from_u128(7) };
        assert_eq!(id.to_string(), "p4711-00000000000000000000000000000007");
        assert_eq!(id.to_string().parse(), Ok(id));
        for wrong in ["", "p", "p12", "p-1-00000000000000000000000000000007", "p12-x", "xyz-7"] {
            assert_eq!(wrong.parse::<EventId>(), Err(()), "{wrong}");
        }
    }

    #[test]
    fn an_id_with_a_transaction_id_has_no_position() {
        let id: EventId = "3e7-00000000000000000000000000000007".parse().unwrap();
        assert_eq!(id, EventId { position: None, evt_id: Uuid::from_u128(7) });
    }
}
