//! Claims jobs for the worker's free slots, and spawns a task for each job.

use std::collections::HashMap;
use std::sync::Arc;

use domain::StageName;
use store::{ClaimedJob, LeaseRef, Outcome, Report, StoreError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::run_job::run_job;
use crate::source::{ClaimFailed, ClaimRequest, Delivery, FreeSlots, Message};
use crate::worker::WorkerShared;

/// The limit keeps the first job of a claim from waiting long for the last.
const MAX_JOBS_PER_CLAIM: usize = 256;

/// The free slots that a claim may fill. Dropping it releases the slots that the claim did not fill.
#[derive(Debug, Default)]
struct Capacity {
    slots: Vec<FreeSlots>,
    /// Of the worker; a job in a reserved slot needs none.
    job_slots: Option<OwnedSemaphorePermit>,
    permits: HashMap<StageName, OwnedSemaphorePermit>,
}

/// A job slot of the worker and a slot of the stage; a job in a reserved slot has that slot only.
type SlotPermits = (OwnedSemaphorePermit, Option<OwnedSemaphorePermit>);

impl Capacity {
    fn max_jobs(&self) -> usize {
        self.job_slots.as_ref().map_or(0, OwnedSemaphorePermit::num_permits)
    }

    fn take(&mut self, stage: &StageName) -> Option<SlotPermits> {
        let is_reserved = self.slots.iter().any(|free| free.stage == *stage && free.is_reserved);
        let slot = self.permits.get_mut(stage)?.split(1)?;
        if is_reserved {
            return Some((slot, None));
        }
        Some((self.job_slots.as_mut()?.split(1)?, Some(slot)))
    }
}

impl WorkerShared {
    /// Claims jobs for the free slots; returns how many jobs it got.
    pub(crate) async fn claim(self: &Arc<Self>) -> Result<usize, StoreError> {
        // Yield once so that tasks which are about to end release their slots.
        tokio::task::yield_now().await;
        let _claim_lock = self.claim_lock.lock().await;
        let mut capacity = self.free_capacity();
        if capacity.slots.is_empty() {
            return Ok(0);
        }
        let request = ClaimRequest {
            slots: &capacity.slots,
            max_jobs: capacity.max_jobs(),
            busy_tenants: &self.held.tenants(),
            worker_id: &self.settings.worker_id,
            stopping: &self.stopping,
        };
        let deliveries = match self.source.claim(request).await {
            Ok(deliveries) => deliveries,
            Err(ClaimFailed { error, in_doubt }) => {
                for held in in_doubt {
                    self.release(held);
                }
                return Err(error);
            }
        };
        let claimed = deliveries.len();
        for Delivery { job, message } in deliveries {
            match capacity.take(&job.stage) {
                Some(permits) => self.spawn_job(job, message, permits),
                // The source returned more jobs than the request allowed.
                None => self.release(LeaseRef { job_id: job.job_id, token: job.token }),
            }
        }
        Ok(claimed)
    }

    /// Spawns a task that runs the job and, when done, wakes the claim loop.
    fn spawn_job(
        self: &Arc<Self>,
        job: ClaimedJob,
        message: Option<Box<dyn Message>>,
        (job_slot, stage_slot): SlotPermits,
    ) {
        let (shared, guard) = (Arc::clone(self), self.hold(&job));
        tokio::spawn(async move {
            run_job(Arc::clone(&shared), job, message, guard, stage_slot).await;
            drop(job_slot);
            shared.wake.notify_one();
        });
    }

    /// Whether a claim could fill any slot that is not reserved.
    pub(crate) fn has_free_slots(&self) -> bool {
        let is_free = |permits: &Semaphore| permits.available_permits() > 0;
        is_free(&self.job_slots) && self.stages.iter().any(|registered| is_free(&registered.slots))
    }

    /// The free slots of each stage, as far as the worker has job slots; otherwise the stage's reserved slot.
    fn free_capacity(&self) -> Capacity {
        let job_slots = take(&self.job_slots, MAX_JOBS_PER_CLAIM);
        let mut capacity = Capacity { job_slots, ..Capacity::default() };
        for registered in self.stages.iter() {
            let slots = take(&registered.slots, capacity.max_jobs());
            let is_reserved = slots.is_none();
            let Some(permits) = slots.or_else(|| take(&registered.reserved_slot, 1)) else {
                continue;
            };
            let stage = registered.stage.name().clone();
            capacity.slots.push(FreeSlots {
                count: permits.num_permits(),
                is_reserved,
                lease: registered.stage.settings().lease,
                stage: stage.clone(),
            });
            capacity.permits.insert(stage, permits);
        }
        capacity
    }

    /// Releases a lease whose job does not run here. Without this, the job would wait until the lease expires.
    fn release(&self, held: LeaseRef) {
        let committer = self.committer.clone();
        tokio::spawn(async move {
            committer.settle(Report { lease: held, outcome: Outcome::Released }).await;
        });
    }
}

/// Takes all free permits, up to `max`; `None` when there is none.
fn take(permits: &Arc<Semaphore>, max: usize) -> Option<OwnedSemaphorePermit> {
    loop {
        let free = u32::try_from(permits.available_permits().min(max)).unwrap_or(u32::MAX);
        if free == 0 {
            return None;
        }
        if let Ok(taken) = Arc::clone(permits).try_acquire_many_owned(free) {
            return Some(taken);
        }
    }
}
