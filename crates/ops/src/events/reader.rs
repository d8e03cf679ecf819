//! Reads the outbox and the progress of jobs for everybody in this process who follows.
//!
//! One task, which is there while somebody follows, reads what is new in the tenants that are followed and sends it to the
//! followers of each: as many statements for one follower as for a thousand. A *subscription* is to one tenant. Its channel
//! is bounded: a follower that falls behind loses the oldest news, notices it, and reads from the database what it
//! missed (`follow.rs`). So nobody waits for anybody.
//!
//! The task looks every quarter of a second. Nobody has it woken: a `NOTIFY` in every transaction that writes an event
//! would make PostgreSQL commit those transactions one after the other.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::{Clock, Scope, TenantId};
use store::{Audience, EventRecord, ProgressRecord, Store, StoreError};
use tokio::sync::broadcast;
use tokio::task::JoinHandle;
use uuid::Uuid;

use crate::events::follow::subject;

pub(crate) struct EventReader {
    store: Store,
    clock: Arc<dyn Clock>,
    followed: Mutex<Followed>,
}

#[derive(Default)]
struct Followed {
    tenants: HashMap<TenantId, FollowedTenant>,
    task: Option<JoinHandle<()>>,
}

struct FollowedTenant {
    /// Of the last event that was read.
    position: i64,
    followers: broadcast::Sender<Arc<News>>,
}

/// What is new in one tenant.
#[derive(Debug)]
pub(crate) struct News {
    /// The events are all that came behind this position.
    pub(crate) after: i64,
    pub(crate) events: Vec<EventRecord>,
    pub(crate) progress: Vec<ProgressRecord>,
    /// Of everything that the news are about, as it was then.
    pub(crate) audience: Arc<Audience>,
    pub(crate) read_at: Duration,
}

/// The news of one tenant, as they come.
#[derive(Debug)]
pub(crate) struct Subscription {
    news: broadcast::Receiver<Arc<News>>,
}

impl Subscription {
    /// `None` when some were missed.
    pub(crate) async fn next(&mut self) -> Option<Arc<News>> {
        self.news.recv().await.ok()
    }
}

/// How far each job was when it was last read.
type KnownProgress = HashMap<Uuid, (i32, i32)>;

impl EventReader {
    const LOOK_EVERY: Duration = Duration::from_millis(250);
    const AFTER_ERROR: Duration = Duration::from_secs(1);
    /// A database that has vanished must not keep a round waiting for ever.
    const ROUND_TIMEOUT: Duration = Duration::from_secs(10);
    /// Of one tenant in one round.
    const AT_ONCE: usize = 200;
    /// Rounds that a follower may fall behind.
    const CHANNEL: usize = 64;

    pub(crate) fn new(store: Store, clock: Arc<dyn Clock>) -> Arc<Self> {
        Arc::new(Self { store, clock, followed: Mutex::default() })
    }

    /// Subscribes to the tenant of the scope. `last` is the position of its last event: what was written before that is for
    /// the follower to read.
    pub(crate) fn subscribe(self: &Arc<Self>, scope: &Scope, last: i64) -> Subscription {
        let mut followed = self.followed();
        let tenant = followed.tenants.entry(scope.tenant_id()).or_insert_with(|| FollowedTenant {
            position: last,
            followers: broadcast::Sender::new(Self::CHANNEL),
        });
        let news = tenant.followers.subscribe();
        if followed.task.as_ref().is_none_or(JoinHandle::is_finished) {
            followed.task = Some(tokio::spawn(Arc::clone(self).read_while_followed()));
        }
        Subscription { news }
    }

    async fn read_while_followed(self: Arc<Self>) {
        let mut known = KnownProgress::new();
        while let Some(tenants) = self.tenants_or_end() {
            let round = self.round(&tenants, &mut known);
            let pause = match tokio::time::timeout(Self::ROUND_TIMEOUT, round).await {
                Ok(Ok(true)) => continue,
                Ok(Ok(false)) => Self::LOOK_EVERY,
                Ok(Err(error)) => {
                    tracing::debug!(%error, "the events cannot be read for now");
                    Self::AFTER_ERROR
                }
                Err(_) => {
                    tracing::debug!("the database does not answer those who follow events");
                    Self::AFTER_ERROR
                }
            };
            tokio::time::sleep(pause).await;
        }
    }

    /// The tenants that are followed, each with the position of the last event that was read. With none the task ends.
    fn tenants_or_end(&self) -> Option<Vec<(TenantId, i64)>> {
        let mut followed = self.followed();
        followed.tenants.retain(|_, tenant| tenant.followers.receiver_count() > 0);
        if followed.tenants.is_empty() {
            followed.task = None;
            return None;
        }
        Some(followed.tenants.iter().map(|(id, tenant)| (*id, tenant.position)).collect())
    }

    /// Reads what is new and sends it. Returns whether there may be more already.
    async fn round(
        &self,
        tenants: &[(TenantId, i64)],
        known: &mut KnownProgress,
    ) -> Result<bool, StoreError> {
        let read_at = self.clock.elapsed();
        let ids: Vec<TenantId> = tenants.iter().map(|(tenant_id, _)| *tenant_id).collect();
        let at_once = i64::try_from(Self::AT_ONCE).unwrap_or(i64::MAX);
        let events = self.store.read_events(tenants, at_once).await?;
        let mut progress = self.store.read_progress(&ids).await?;
        let now_known = progress.iter().map(|job| (job.job_id, (job.done, job.total))).collect();
        progress.retain(|job| known.get(&job.job_id) != Some(&(job.done, job.total)));

        let mut subjects: Vec<(TenantId, Uuid)> = Vec::new();
        subjects
            .extend(events.iter().filter_map(|(tenant, event)| Some((*tenant, subject(event)?))));
        subjects.extend(progress.iter().map(|job| (job.tenant_id, job.doc_id)));
        let audience = match subjects.as_slice() {
            [] => Audience::default(),
            subjects => self.store.audience_of(subjects).await?,
        };

        let audience = Arc::new(audience);
        let mut by_tenant: HashMap<TenantId, News> = HashMap::new();
        for (tenant_id, after) in tenants {
            let (events, progress) = (Vec::new(), Vec::new());
            let audience = Arc::clone(&audience);
            let news = News { after: *after, events, progress, audience, read_at };
            by_tenant.insert(*tenant_id, news);
        }
        for (tenant_id, event) in events {
            by_tenant.entry(tenant_id).and_modify(|news| news.events.push(event));
        }
        for job in progress {
            by_tenant.entry(job.tenant_id).and_modify(|news| news.progress.push(job));
        }
        *known = now_known;
        Ok(self.send(by_tenant))
    }

    fn send(&self, news: HashMap<TenantId, News>) -> bool {
        let mut followed = self.followed();
        let mut may_be_more = false;
        for (tenant_id, news) in news {
            let Some(tenant) = followed.tenants.get_mut(&tenant_id) else { continue };
            may_be_more |= news.events.len() >= Self::AT_ONCE;
            if let Some(last) = news.events.last() {
                tenant.position = last.position;
            }
            if !(news.events.is_empty() && news.progress.is_empty()) {
                // Without followers nobody misses it.
                tenant.followers.send(Arc::new(news)).ok();
            }
        }
        may_be_more
    }

    fn followed(&self) -> MutexGuard<'_, Followed> {
        self.followed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for EventReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventReader").finish_non_exhaustive()
    }
}
