//! Claims the jobs that messages name: the code that all message transports share.
//!
//! A transport delivers each message when it arrives ([`MessageSource::deliver`]). The worker claims the job in the
//! database, runs and settles it, and then acknowledges the message. A message whose job has ended is acknowledged at
//! once. Every other message is dropped, so that the transport delivers it again: the job is leased or not due yet, this
//! worker has no free slot for it, or the job was released or will be retried.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::{Clock, ClockUse, Envelope};
use store::{ClaimedJob, LeaseRef, NamedClaim, Store};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use crate::source::{
    ClaimFailed, ClaimRequest, Delivery, FreeSlots, JobSource, Message, SourceFuture,
};

#[derive(Debug)]
pub struct MessageSource {
    store: Store,
    clock: Arc<dyn Clock>,
    waiting: Mutex<VecDeque<(OwnedSemaphorePermit, Box<dyn Message>)>>,
    arrived: Notify,
    /// One permit for each further message that may wait here.
    waiting_slots: Arc<Semaphore>,
}

impl MessageSource {
    /// At most `capacity` messages wait here; further ones wait at their transport.
    pub fn new(store: Store, clock: Arc<dyn Clock>, capacity: usize) -> Self {
        let waiting_slots = Arc::new(Semaphore::new(capacity));
        Self { store, clock, waiting: Mutex::default(), arrived: Notify::new(), waiting_slots }
    }

    /// Passes a message to the worker; waits while too many messages wait already.
    pub async fn deliver(&self, message: Box<dyn Message>) {
        // The semaphore is never closed; a message that is dropped is delivered again.
        let Ok(slot) = Arc::clone(&self.waiting_slots).acquire_owned().await else { return };
        self.waiting().push_back((slot, message));
        self.arrived.notify_one();
    }

    /// A panic cannot leave the queue in an inconsistent state.
    fn waiting(&self) -> MutexGuard<'_, VecDeque<(OwnedSemaphorePermit, Box<dyn Message>)>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn claim_waiting(&self, request: ClaimRequest<'_>) -> Result<Vec<Delivery>, ClaimFailed> {
        let mut remaining = RemainingSlots::of(&request);
        let mut claimed = Vec::new();
        while !remaining.is_empty() && !request.stopping.is_cancelled() {
            let Some((_, message)) = self.waiting().pop_front() else { break };
            let envelope = match Envelope::read(message.body()) {
                Ok(envelope) => envelope,
                Err(error) => {
                    tracing::error!(
                        error = &error as &dyn std::error::Error,
                        "a message is not a valid envelope"
                    );
                    continue;
                }
            };
            let Some(slot) = remaining.slot_for(&envelope, request.busy_tenants) else { continue };
            match self.claim_named(&envelope, slot, request.worker_id).await {
                Ok(Some(NamedClaim::Claimed(job))) => {
                    remaining.fill(&job);
                    claimed.push(Delivery { job: *job, message: Some(message) });
                }
                Ok(Some(NamedClaim::Ended)) => message.acknowledge().await,
                Ok(Some(NamedClaim::Leased | NamedClaim::NotDue) | None) => {}
                Ok(Some(NamedClaim::Unknown)) => {
                    tracing::warn!(run_id = %envelope.run_id, stage = %envelope.stage, "a message names a job that does not exist");
                }
                // Return the jobs claimed so far; if the error persists, the next claim reports it.
                Err(failed) if claimed.is_empty() => return Err(failed),
                Err(_) => break,
            }
        }
        Ok(claimed)
    }

    /// `None` while the clock is not reliable.
    async fn claim_named(
        &self,
        envelope: &Envelope,
        slot: &FreeSlots,
        worker_id: &str,
    ) -> Result<Option<NamedClaim>, ClaimFailed> {
        let mut across = self.store.queue_transaction().await?;
        let Some(now) = self.clock.now_for(ClockUse::Schedule) else {
            across.rollback().await?;
            return Ok(None);
        };
        let named = across.claim_named_job(envelope, worker_id, now + slot.lease, now).await?;
        if let Err(error) = across.commit().await {
            let in_doubt = match named {
                NamedClaim::Claimed(job) => vec![LeaseRef { job_id: job.job_id, token: job.token }],
                _ => Vec::new(),
            };
            return Err(ClaimFailed { error, in_doubt });
        }
        Ok(Some(named))
    }
}

/// The slots of a request that are not filled yet.
struct RemainingSlots {
    slots: Vec<FreeSlots>,
    max_jobs: usize,
}

impl RemainingSlots {
    fn of(request: &ClaimRequest<'_>) -> Self {
        Self { slots: request.slots.to_vec(), max_jobs: request.max_jobs }
    }

    fn is_free(&self, slots: &FreeSlots) -> bool {
        slots.count > 0 && (slots.is_reserved || self.max_jobs > 0)
    }

    fn is_empty(&self) -> bool {
        !self.slots.iter().any(|slots| self.is_free(slots))
    }

    fn slot_for(
        &self,
        envelope: &Envelope,
        busy_tenants: &[domain::TenantId],
    ) -> Option<&FreeSlots> {
        let is_busy = busy_tenants.contains(&envelope.tenant_id);
        let fits = |slots: &&FreeSlots| {
            slots.stage == envelope.stage && self.is_free(slots) && !(slots.is_reserved && is_busy)
        };
        self.slots.iter().find(fits)
    }

    fn fill(&mut self, job: &ClaimedJob) {
        if let Some(slots) = self.slots.iter_mut().find(|slots| slots.stage == job.stage) {
            slots.count -= 1;
            self.max_jobs -= usize::from(!slots.is_reserved);
        }
    }
}

impl JobSource for MessageSource {
    fn claim<'a>(
        &'a self,
        request: ClaimRequest<'a>,
    ) -> SourceFuture<'a, Result<Vec<Delivery>, ClaimFailed>> {
        Box::pin(self.claim_waiting(request))
    }

    fn listen<'a>(&'a self, work: &'a Notify) -> SourceFuture<'a, ()> {
        Box::pin(async {
            loop {
                self.arrived.notified().await;
                work.notify_one();
            }
        })
    }
}
