//! Following what happens, as it happens.
//!
//! Everybody who follows reads the outbox, from the place they were last at: nothing is missed and
//! nothing comes twice, whichever server they come back to. While nobody follows, nobody looks.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use domain::{Action, Caller, Scope};
use serde_json::Value;
use store::{EventPlace, EventRecord, Store, StoreError};
use uuid::Uuid;

use crate::continued_access::ContinuedAccess;
use crate::{Ops, OpsError};

/// A place in the stream of events. Clients hand it back as they got it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventId(EventPlace);

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}-{}", self.0.xact, self.0.evt_id.simple())
    }
}

impl FromStr for EventId {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (xact, evt_id) = text.split_once('-').ok_or(())?;
        let xact = u64::from_str_radix(xact, 16).map_err(|_| ())?;
        Ok(Self(EventPlace { xact, evt_id: Uuid::try_parse(evt_id).map_err(|_| ())? }))
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
    place: EventPlace,
    ready: VecDeque<Event>,
}

impl Ops {
    /// Follows what the caller may see, from behind an event they have seen, or from now on.
    pub async fn follow_events(
        &self,
        caller: &Caller,
        after: Option<EventId>,
    ) -> Result<Following, OpsError> {
        let scope = caller.permit(Action::SeeDocuments)?;
        let place = if let Some(EventId(place)) = after {
            place
        } else {
            let mut across = self.store.across_tenants().await?;
            let end = across.end_of_events().await?;
            across.commit().await?;
            end
        };
        let store = self.store.clone();
        let access = self.continued_access(caller);
        Ok(Following { store, scope: Arc::new(scope), access, place, ready: VecDeque::new() })
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

    /// Whether there was something new, for whomever.
    async fn look(&mut self) -> Result<bool, StoreError> {
        let mut across = self.store.across_tenants().await?;
        let events = across.events_after(&self.place, Self::AT_ONCE).await?;
        across.commit().await?;
        let Some(last) = events.last().map(|event| event.place.clone()) else { return Ok(false) };
        let tenant_id = self.scope.tenant_id();
        let own: Vec<EventRecord> = events
            .into_iter()
            .filter(|event| event.tenant_id == tenant_id && self.may_hear(event))
            .collect();
        let visible = self.visible(&own).await?;
        self.ready.extend(own.into_iter().filter_map(|event| seen(event, &visible)));
        self.place = last;
        Ok(true)
    }

    /// What names no document or batch is about the whole tenant, and not for those who see only their own.
    fn may_hear(&self, event: &EventRecord) -> bool {
        self.scope.only_own().is_none() || subject(event).is_some()
    }

    /// The subjects that may be seen, and what the follower calls them where they see only their own.
    async fn visible(
        &self,
        events: &[EventRecord],
    ) -> Result<HashMap<Uuid, Option<String>>, StoreError> {
        let subjects: Vec<Uuid> = events.iter().filter_map(subject).collect();
        if subjects.is_empty() {
            return Ok(HashMap::new());
        }
        let mut tx = self.store.read(&self.scope).await?;
        let visible = tx.visible_subjects(&subjects).await?;
        tx.commit().await?;
        Ok(visible)
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
    Some(Event { id: EventId(event.place), topic: event.topic, payload })
}

/// The document or batch an event is about.
fn subject(event: &EventRecord) -> Option<Uuid> {
    let id = |name: &str| event.payload[name].as_str().and_then(|id| Uuid::try_parse(id).ok());
    id("doc_id").or_else(|| id("batch_id"))
}

impl fmt::Debug for Following {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Following").field("place", &self.place).finish_non_exhaustive()
    }
}
