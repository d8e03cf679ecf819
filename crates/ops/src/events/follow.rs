//! Following what happens, as it happens.
//!
//! Everybody who follows gets the events of their tenant by their positions, behind the one they saw last: nothing is
//! missed and nothing comes twice, whichever server they come back to, and after the database was moved to another one.
//! A follower subscribes to the reader of the process (`reader.rs`), then reads from the database what happened
//! until then. It goes back to the database whenever the subscription has left something out.
//!
//! Progress has no position and is not kept: whoever is away misses it.

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
use crate::events::reader::{News, Subscription};
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

/// Something that happened, or something to know about the stream.
#[derive(Clone, Debug)]
pub struct Event {
    /// `None` for what is not kept: progress, and messages about the stream itself.
    pub id: Option<EventId>,
    pub topic: String,
    pub payload: Value,
}

impl Event {
    /// Events are missing between the one that the client has seen last and the next one.
    fn reset(reason: &str) -> Self {
        let payload = json!({"reason": reason});
        Self { id: None, topic: "stream.reset".to_owned(), payload }
    }
}

/// One follower's place, and what it has not been told yet.
pub struct Following {
    store: Store,
    clock: Arc<dyn Clock>,
    scope: Arc<Scope>,
    access: ContinuedAccess,
    subscription: Subscription,
    /// Of the last event that was read.
    position: i64,
    /// Whether the database may have events behind that position which the subscription does not bring.
    is_behind: bool,
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
        Ok(Following {
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

impl Following {
    /// How often to ask whether the caller still has access, while nothing happens.
    const CHECK_ACCESS_EVERY: Duration = Duration::from_millis(500);
    const AFTER_ERROR: Duration = Duration::from_secs(1);
    /// What may be seen is decided when news are read; of older ones it is decided again.
    const NEWS_HOLD: Duration = Duration::from_secs(5);
    const AT_ONCE: usize = 500;

    /// The next event; waits until there is one. `None` when the caller has no access any more: they were deactivated,
    /// signed out, or their token or key ended. A database that is away is waited for.
    pub async fn next(&mut self) -> Option<Event> {
        while self.access.holds().await {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            if self.is_behind {
                if let Err(error) = self.catch_up().await {
                    tracing::debug!(%error, "the events cannot be read for now");
                    tokio::time::sleep(Self::AFTER_ERROR).await;
                }
                continue;
            }
            let news = self.subscription.next();
            match tokio::time::timeout(Self::CHECK_ACCESS_EVERY, news).await {
                Ok(Some(news)) => self.take(&news),
                Ok(None) => self.is_behind = true,
                Err(_) => {}
            }
        }
        None
    }

    /// Reads from the database. Once it has nothing more, the subscription brings the rest: that began before.
    async fn catch_up(&mut self) -> Result<(), StoreError> {
        let mut tx = self.store.read(&self.scope).await?;
        let at_once = i64::try_from(Self::AT_ONCE).unwrap_or(i64::MAX);
        let events = tx.events_after(self.position, at_once).await?;
        let subjects: Vec<Uuid> = events.iter().filter_map(subject).collect();
        let audience = match subjects.as_slice() {
            [] => Audience::default(),
            subjects => tx.audience_of(subjects).await?,
        };
        tx.commit().await?;
        self.ready.extend(events.iter().filter_map(|event| seen(event, &audience, &self.scope)));
        if let Some(last) = events.last() {
            self.position = last.position;
        }
        self.is_behind = events.len() >= Self::AT_ONCE;
        Ok(())
    }

    fn take(&mut self, news: &News) {
        let last = news.events.last().map_or(news.after, |event| event.position);
        let age = self.clock.elapsed().saturating_sub(news.read_at);
        if news.after > self.position || age > Self::NEWS_HOLD {
            self.is_behind = last > self.position;
            return;
        }
        let (audience, scope) = (&news.audience, &self.scope);
        // Some may have been read from the database already.
        let new = news.events.iter().filter(|event| event.position > self.position);
        let progress = news.progress.iter().filter_map(|job| {
            audience.own_title(job.doc_id, scope).ok()?;
            Some(Event { id: None, topic: PROGRESS.to_owned(), payload: job.payload() })
        });
        let told = new.filter_map(|event| seen(event, audience, scope)).chain(progress);
        self.ready.extend(told);
        self.position = self.position.max(last);
    }
}

const PROGRESS: &str = "document.progress";

/// An event as a follower sees it: under their own title. `None` when its subject is not theirs to see. What names no
/// document or batch is about the whole tenant, and not for those who see only their own. An event with an `owner` is
/// for that owner only.
fn seen(event: &EventRecord, audience: &Audience, scope: &Scope) -> Option<Event> {
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
    if let (Some(title), Some(told)) = (own_title, payload.get_mut("title")) {
        *told = Value::from(title);
    }
    let id = EventId { position: Some(event.position), evt_id: event.evt_id };
    Some(Event { id: Some(id), topic: event.topic.clone(), payload })
}

/// The document or batch an event is about.
pub(crate) fn subject(event: &EventRecord) -> Option<Uuid> {
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
