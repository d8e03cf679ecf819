//! Following what happens, as it happens.
//!
//! Everybody who follows reads the outbox by the positions of its events, behind the one they saw last: nothing is
//! missed and nothing comes twice, whichever server they come back to, and after the database was moved to another one.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use domain::{Action, Caller, Scope};
use serde_json::Value;
use store::{EventRecord, Store, StoreError};
use uuid::Uuid;

use crate::access::continued_access::ContinuedAccess;
use crate::{Events, OpsError};

/// An event that was seen, as clients hand it back: `p`, its position, and its own id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventId {
    /// `None` in ids that were sent before events had positions. Those begin with a transaction id, which says
    /// nothing any more, in hexadecimal digits.
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
        let (place, evt_id) = text.split_once('-').ok_or(())?;
        let position = match place.strip_prefix('p') {
            Some(position) => Some(position.parse().map_err(|_| ())?),
            None => u64::from_str_radix(place, 16).map(|_| None).map_err(|_| ())?,
        };
        Ok(Self { position, evt_id: Uuid::try_parse(evt_id).map_err(|_| ())? })
    }
}

#[derive(Clone, Debug)]
pub struct Event {
    pub id: EventId,
    pub topic: String,
    pub payload: Value,
}

/// One follower's place, and what it has not been told yet.
pub struct Following {
    store: Store,
    scope: Arc<Scope>,
    access: ContinuedAccess,
    /// Of the last event that was read.
    position: i64,
    ready: VecDeque<Event>,
}

impl Events {
    /// Follows what the caller may see, from behind an event they have seen, or from now on.
    pub async fn follow_events(
        &self,
        caller: &Caller,
        after: Option<EventId>,
    ) -> Result<Following, OpsError> {
        let scope = caller.permit(Action::SeeDocuments)?;
        self.store.number_events(scope.tenant_id()).await?;
        let mut tx = self.store.read(&scope).await?;
        let position = match after {
            Some(id) => tx.resume_events(id.evt_id, id.position).await?,
            None => tx.last_event_position().await?,
        };
        tx.commit().await?;
        let store = self.store.clone();
        let access = self.access.continued_access(caller);
        Ok(Following { store, scope: Arc::new(scope), access, position, ready: VecDeque::new() })
    }
}

impl Following {
    /// How often to look. The database is asked this often by every follower, and by nobody else.
    const LOOK_EVERY: Duration = Duration::from_millis(250);
    const AT_ONCE: i64 = 500;

    /// The next event; waits until there is one. `None` when the caller has no access any more: they were deactivated,
    /// signed out, or their token or key ended. A database that is away is waited for.
    pub async fn next(&mut self) -> Option<Event> {
        while self.access.holds().await {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            match self.look().await {
                Ok(true) => {}
                Ok(false) => tokio::time::sleep(Self::LOOK_EVERY).await,
                Err(error) => {
                    tracing::debug!(%error, "the events cannot be read for now");
                    tokio::time::sleep(Self::LOOK_EVERY * 4).await;
                }
            }
        }
        None
    }

    /// Whether there was something new, to be seen or not.
    async fn look(&mut self) -> Result<bool, StoreError> {
        self.store.number_events(self.scope.tenant_id()).await?;
        let mut tx = self.store.read(&self.scope).await?;
        let events = tx.events_after(self.position, Self::AT_ONCE).await?;
        let Some(last) = events.last().map(|event| event.position) else {
            tx.commit().await?;
            return Ok(false);
        };
        let subjects: Vec<Uuid> = events.iter().filter_map(subject).collect();
        let visible = tx.visible_subjects(&subjects).await?;
        tx.commit().await?;
        let heard = events.into_iter().filter(|event| self.may_hear(event));
        let heard: Vec<Event> = heard.filter_map(|event| seen(event, &visible)).collect();
        self.ready.extend(heard);
        self.position = last;
        Ok(true)
    }

    /// What names no document or batch is about the whole tenant, and not for those who see only their own.
    fn may_hear(&self, event: &EventRecord) -> bool {
        self.scope.only_own().is_none() || subject(event).is_some()
    }
}

/// An event as a follower sees it: under their own title. `None` when its subject is not theirs to see.
fn seen(event: EventRecord, visible: &HashMap<Uuid, Option<String>>) -> Option<Event> {
    let own_title = match subject(&event) {
        Some(id) => visible.get(&id)?.as_ref(),
        None => None,
    };
    let mut payload = event.payload;
    if let (Some(title), Some(told)) = (own_title, payload.get_mut("title")) {
        *told = Value::from(title.as_str());
    }
    let id = EventId { position: Some(event.position), evt_id: event.evt_id };
    Some(Event { id, topic: event.topic, payload })
}

/// The document or batch an event is about.
fn subject(event: &EventRecord) -> Option<Uuid> {
    let id = |name: &str| event.payload[name].as_str().and_then(|id| Uuid::try_parse(id).ok());
    id("doc_id").or_else(|| id("batch_id"))
}

impl fmt::Debug for Following {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Following").field("position", &self.position).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_comes_back_as_it_was_sent() {
        let id = EventId { position: Some(4711), evt_id: Uuid::from_u128(7) };
        assert_eq!(id.to_string(), "p4711-00000000000000000000000000000007");
        assert_eq!(id.to_string().parse(), Ok(id));
        for wrong in ["", "p", "p12", "p-1-00000000000000000000000000000007", "p12-x", "xyz-7"] {
            assert_eq!(wrong.parse::<EventId>(), Err(()), "{wrong}");
        }
    }

    #[test]
    fn an_id_that_begins_with_a_transaction_names_its_event_only() {
        let id: EventId = "3e7-00000000000000000000000000000007".parse().unwrap();
        assert_eq!(id, EventId { position: None, evt_id: Uuid::from_u128(7) });
    }
}
