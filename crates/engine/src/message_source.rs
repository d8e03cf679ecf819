//! Jobs that messages name: the part that all transports with messages share.
//!
//! A transport delivers each message as it comes ([`MessageSource::deliver`]). Its job is claimed in the database, run
//! and settled; then the message is acknowledged. A message whose job has ended is acknowledged without work. Every
//! other message is dropped, so that the transport delivers it again: its job is leased by somebody, is not due yet,
//! this worker has no free slot for it, or the job was put off or handed back.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::{Clock, ClockUse, Envelope};
use store::{ClaimedJob, Held, NamedClaim, Store};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use crate::source::{ClaimFailed, Delivery, FreeSlots, JobSource, Message, SourceFuture, Wanted};

#[derive(Debug)]
pub struct MessageSource {
    store: Store,
    clock: Arc<dyn Clock>,
    waiting: Mutex<VecDeque<(OwnedSemaphorePermit, Box<dyn Message>)>>,
    arrived: Notify,
    /// One for each message that may still wait here.
    room: Arc<Semaphore>,
}

impl MessageSource {
    /// At most `capacity` messages wait here; further ones wait at their transport.
    pub fn new(store: Store, clock: Arc<dyn Clock>, capacity: usize) -> Self {
        let room = Arc::new(Semaphore::new(capacity));
        Self { store, clock, waiting: Mutex::default(), arrived: Notify::new(), room }
    }

    /// Hands a message to the worker; waits while too many wait already.
    pub async fn deliver(&self, message: Box<dyn Message>) {
        // The semaphore is never closed; a message that is dropped is delivered again.
        let Ok(room) = Arc::clone(&self.room).acquire_owned().await else { return };
        self.waiting().push_back((room, message));
        self.arrived.notify_one();
    }

    /// Nothing here can be left half done by a panic.
    fn waiting(&self) -> MutexGuard<'_, VecDeque<(OwnedSemaphorePermit, Box<dyn Message>)>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn claim_waiting(&self, wanted: Wanted<'_>) -> Result<Vec<Delivery>, ClaimFailed> {
        let mut free = Room::of(&wanted);
        let mut claimed = Vec::new();
        while !free.is_full() && !wanted.stopping.is_cancelled() {
            let Some((_, message)) = self.waiting().pop_front() else { break };
            let envelope = match Envelope::read(message.body()) {
                Ok(envelope) => envelope,
                Err(error) => {
                    tracing::error!(
                        error = &error as &dyn std::error::Error,
                        "a message was not understood"
                    );
                    continue;
                }
            };
            let Some(slot) = free.slot_for(&envelope, wanted.busy_tenants) else { continue };
            match self.claim_named(&envelope, slot, wanted.worker_id).await {
                Ok(Some(NamedClaim::Claimed(job))) => {
                    free.fill(&job);
                    claimed.push(Delivery { job: *job, message: Some(message) });
                }
                Ok(Some(NamedClaim::Ended)) => message.acknowledge().await,
                Ok(Some(NamedClaim::Leased | NamedClaim::NotDue) | None) => {}
                Ok(Some(NamedClaim::Unknown)) => {
                    tracing::warn!(run_id = %envelope.run_id, stage = %envelope.stage, "a message names a job that does not exist");
                }
                // What was claimed before is worked on; what is wrong shows with the next claim.
                Err(failed) if claimed.is_empty() => return Err(failed),
                Err(_) => break,
            }
        }
        Ok(claimed)
    }

    /// `None` while the time is not known.
    async fn claim_named(
        &self,
        envelope: &Envelope,
        slot: &FreeSlots,
        worker_id: &str,
    ) -> Result<Option<NamedClaim>, ClaimFailed> {
        let mut across = self.store.on_the_queue().await?;
        let Some(now) = self.clock.now_for(ClockUse::Schedule) else {
            across.rollback().await?;
            return Ok(None);
        };
        let named = across.claim_named_job(envelope, worker_id, now + slot.lease, now).await?;
        if let Err(error) = across.commit().await {
            let in_doubt = match named {
                NamedClaim::Claimed(job) => vec![Held { job_id: job.job_id, token: job.token }],
                _ => Vec::new(),
            };
            return Err(ClaimFailed { error, in_doubt });
        }
        Ok(Some(named))
    }
}

/// What is left of the slots that were offered.
struct Room {
    slots: Vec<FreeSlots>,
    most: usize,
}

impl Room {
    fn of(wanted: &Wanted<'_>) -> Self {
        Self { slots: wanted.slots.to_vec(), most: wanted.most }
    }

    fn is_free(&self, slots: &FreeSlots) -> bool {
        slots.count > 0 && (slots.is_reserved || self.most > 0)
    }

    fn is_full(&self) -> bool {
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
            self.most -= usize::from(!slots.is_reserved);
        }
    }
}

impl JobSource for MessageSource {
    fn claim<'a>(
        &'a self,
        wanted: Wanted<'a>,
    ) -> SourceFuture<'a, Result<Vec<Delivery>, ClaimFailed>> {
        Box::pin(self.claim_waiting(wanted))
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
