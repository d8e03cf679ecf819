//! Reads the outbox and the progress of jobs for all followers of this process.
//!
//! One task, which runs while there are followers, reads new events of the followed tenants and broadcasts them to the
//! followers of each tenant: the number of statements does not depend on the number of followers. A *subscription* is to
//! one tenant. Its channel is bounded: a follower that falls behind loses the oldest batches, notices it, and reads what
//! it missed from the database (`follow.rs`). So a slow follower delays no other.
//!
//! The task polls every 250 ms. A `NOTIFY` in every transaction that writes an event would make PostgreSQL serialise the
//! commits of those transactions.

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
    followed: Mutex<FollowedTenants>,
}

#[derive(Default)]
struct FollowedTenants {
    tenants: HashMap<TenantId, FollowedTenant>,
    task: Option<JoinHandle<()>>,
}

struct FollowedTenant {
    /// The position of the last event that was read.
    position: i64,
    followers: broadcast::Sender<Arc<EventBatch>>,
}

/// New events and progress of one tenant.
#[derive(Debug)]
pub(crate) struct EventBatch {
    /// The batch has all events after this position.
    pub(crate) after: i64,
    pub(crate) events: Vec<EventRecord>,
    pub(crate) progress: Vec<ProgressRecord>,
    /// Who may see the subjects of the batch, at the time it was read.
    pub(crate) audience: Arc<Audience>,
    pub(crate) read_at: Duration,
}

/// Receives the batches of one tenant.
#[derive(Debug)]
pub(crate) struct Subscription {
    batches: broadcast::Receiver<Arc<EventBatch>>,
}

impl Subscription {
    /// `None` if batches were lost.
    pub(crate) async fn next(&mut self) -> Option<Arc<EventBatch>> {
        self.batches.recv().await.ok()
    }
}

/// The progress of each job when it was last read.
type LastProgress = HashMap<Uuid, (i32, i32)>;

impl EventReader {
    const POLL_INTERVAL: Duration = Duration::from_millis(250);
    const RETRY_DELAY: Duration = Duration::from_secs(1);
    /// Limits a round if the database does not respond.
    const ROUND_TIMEOUT: Duration = Duration::from_secs(10);
    /// Per tenant and round.
    const MAX_EVENTS: usize = 200;
    /// How many batches a follower may fall behind.
    const CHANNEL_CAPACITY: usize = 64;

    pub(crate) fn new(store: Store, clock: Arc<dyn Clock>) -> Arc<Self> {
        Arc::new(Self { store, clock, followed: Mutex::default() })
    }

    /// Subscribes to the tenant of the scope. `last` is the position of its last event: the follower reads earlier events
    /// itself.
    pub(crate) fn subscribe(self: &Arc<Self>, scope: &Scope, last: i64) -> Subscription {
        let mut followed = self.followed();
        let tenant = followed.tenants.entry(scope.tenant_id()).or_insert_with(|| FollowedTenant {
            position: last,
            followers: broadcast::Sender::new(Self::CHANNEL_CAPACITY),
        });
        let batches = tenant.followers.subscribe();
        if followed.task.as_ref().is_none_or(JoinHandle::is_finished) {
            followed.task = Some(tokio::spawn(Arc::clone(self).read_while_followed()));
        }
        Subscription { batches }
    }

    async fn read_while_followed(self: Arc<Self>) {
        let mut last = LastProgress::new();
        while let Some(tenants) = self.followed_tenants() {
            let round = self.round(&tenants, &mut last);
            let pause = match tokio::time::timeout(Self::ROUND_TIMEOUT, round).await {
                Ok(Ok(true)) => continue,
                Ok(Ok(false)) => Self::POLL_INTERVAL,
                Ok(Err(error)) => {
                    tracing::debug!(%error, "cannot read events");
                    Self::RETRY_DELAY
                }
                Err(_) => {
                    tracing::debug!("the database does not respond to the event reader");
                    Self::RETRY_DELAY
                }
            };
            tokio::time::sleep(pause).await;
        }
    }

    /// The followed tenants, each with the position of the last event that was read. Without any, the task ends.
    fn followed_tenants(&self) -> Option<Vec<(TenantId, i64)>> {
        let mut followed = self.followed();
        followed.tenants.retain(|_, tenant| tenant.followers.receiver_count() > 0);
        if followed.tenants.is_empty() {
            followed.task = None;
            return None;
        }
        Some(followed.tenants.iter().map(|(id, tenant)| (*id, tenant.position)).collect())
    }

    /// Reads new events and broadcasts them. Returns whether there may be more.
    async fn round(
        &self,
        tenants: &[(TenantId, i64)],
        last: &mut LastProgress,
    ) -> Result<bool, StoreError> {
        let read_at = self.clock.elapsed();
        let ids: Vec<TenantId> = tenants.iter().map(|(tenant_id, _)| *tenant_id).collect();
        let limit = i64::try_from(Self::MAX_EVENTS).unwrap_or(i64::MAX);
        let events = self.store.read_events(tenants, limit).await?;
        let mut progress = self.store.read_progress(&ids).await?;
        let current = progress.iter().map(|job| (job.job_id, (job.done, job.total))).collect();
        progress.retain(|job| last.get(&job.job_id) != Some(&(job.done, job.total)));

        let mut subjects: Vec<(TenantId, Uuid)> = Vec::new();
        subjects
            .extend(events.iter().filter_map(|(tenant, event)| Some((*tenant, subject(event)?))));
        subjects.extend(progress.iter().map(|job| (job.tenant_id, job.doc_id)));
        let audience = match subjects.as_slice() {
            [] => Audience::default(),
            subjects => self.store.audience_of(subjects).await?,
        };

        let audience = Arc::new(audience);
        let mut by_tenant: HashMap<TenantId, EventBatch> = HashMap::new();
        for (tenant_id, after) in tenants {
            let (events, progress) = (Vec::new(), Vec::new());
            let audience = Arc::clone(&audience);
            let batch = EventBatch { after: *after, events, progress, audience, read_at };
            by_tenant.insert(*tenant_id, batch);
        }
        for (tenant_id, event) in events {
            by_tenant.entry(tenant_id).and_modify(|batch| batch.events.push(event));
        }
        for job in progress {
            by_tenant.entry(job.tenant_id).and_modify(|batch| batch.progress.push(job));
        }
        *last = current;
        Ok(self.send(by_tenant))
    }

    fn send(&self, batches: HashMap<TenantId, EventBatch>) -> bool {
        let mut followed = self.followed();
        let mut may_be_more = false;
        for (tenant_id, batch) in batches {
            let Some(tenant) = followed.tenants.get_mut(&tenant_id) else { continue };
            may_be_more |= batch.events.len() >= Self::MAX_EVENTS;
            if let Some(last) = batch.events.last() {
                tenant.position = last.position;
            }
            if !(batch.events.is_empty() && batch.progress.is_empty()) {
                // An error means that there are no followers.
                tenant.followers.send(Arc::new(batch)).ok();
            }
        }
        may_be_more
    }

    fn followed(&self) -> MutexGuard<'_, FollowedTenants> {
        self.followed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for EventReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventReader").finish_non_exhaustive()
    }
}
