//! Claims: free slots are offered to the job source, and each job it gives is worked on by a task.

use std::collections::HashMap;
use std::sync::Arc;

use domain::StageName;
use store::{ClaimedJob, Held, Outcome, Report, StoreError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::run_job::run_job;
use crate::source::{ClaimFailed, Delivery, FreeSlots, Message, Wanted};
use crate::worker::WorkerShared;

/// The most jobs in one claim: the first of them should not wait long for the last.
const MOST_AT_ONCE: usize = 256;

/// What a claim may fill. What it leaves is free again when this is dropped.
#[derive(Debug, Default)]
struct Room {
    slots: Vec<FreeSlots>,
    /// Of the worker. A reserved slot is a place of its own.
    places: Option<OwnedSemaphorePermit>,
    permits: HashMap<StageName, OwnedSemaphorePermit>,
}

/// A place in the worker, and a slot of the stage unless it is the reserved one, which is both.
type Taken = (OwnedSemaphorePermit, Option<OwnedSemaphorePermit>);

impl Room {
    fn most(&self) -> usize {
        self.places.as_ref().map_or(0, OwnedSemaphorePermit::num_permits)
    }

    fn take(&mut self, stage: &StageName) -> Option<Taken> {
        let is_reserved = self.slots.iter().any(|free| free.stage == *stage && free.is_reserved);
        let slot = self.permits.get_mut(stage)?.split(1)?;
        if is_reserved {
            return Some((slot, None));
        }
        Some((self.places.as_mut()?.split(1)?, Some(slot)))
    }
}

impl WorkerShared {
    /// Claims what there is room for; returns how many jobs that were.
    pub(crate) async fn claim(self: &Arc<Self>) -> Result<usize, StoreError> {
        // Yield once so that tasks which are about to end release their slots.
        tokio::task::yield_now().await;
        let _one_at_a_time = self.claiming.lock().await;
        let mut room = self.room();
        if room.slots.is_empty() {
            return Ok(0);
        }
        let wanted = Wanted {
            slots: &room.slots,
            most: room.most(),
            busy_tenants: &self.held.tenants(),
            worker_id: &self.settings.worker_id,
            stopping: &self.stopping,
        };
        let deliveries = match self.source.claim(wanted).await {
            Ok(deliveries) => deliveries,
            Err(ClaimFailed { error, in_doubt }) => {
                for held in in_doubt {
                    self.hand_back(held);
                }
                return Err(error);
            }
        };
        let claimed = deliveries.len();
        for Delivery { job, message } in deliveries {
            match room.take(&job.stage) {
                Some(taken) => self.set_out(job, message, taken),
                // A source that gives more than was wanted.
                None => self.hand_back(Held { job_id: job.job_id, token: job.token }),
            }
        }
        Ok(claimed)
    }

    /// Spawns a task that runs the job and, when done, wakes the claim loop.
    fn set_out(
        self: &Arc<Self>,
        job: ClaimedJob,
        message: Option<Box<dyn Message>>,
        (place, slot): Taken,
    ) {
        let (shared, guard) = (Arc::clone(self), self.hold(&job));
        tokio::spawn(async move {
            run_job(Arc::clone(&shared), job, message, guard, slot).await;
            drop(place);
            shared.wake.notify_one();
        });
    }

    /// Whether a claim could fill anything but reserved slots.
    pub(crate) fn has_free_slots(&self) -> bool {
        let is_free = |permits: &Semaphore| permits.available_permits() > 0;
        is_free(&self.places) && self.stages.iter().any(|registered| is_free(&registered.slots))
    }

    /// What is free: the slots of each stage, as far as the worker has places; else the stage's reserved slot.
    fn room(&self) -> Room {
        let places = take(&self.places, MOST_AT_ONCE);
        let mut room = Room { places, ..Room::default() };
        for registered in self.stages.iter() {
            let slots = take(&registered.slots, room.most());
            let is_reserved = slots.is_none();
            let Some(permits) = slots.or_else(|| take(&registered.reserved_slot, 1)) else {
                continue;
            };
            let stage = registered.stage.name().clone();
            room.slots.push(FreeSlots {
                count: permits.num_permits(),
                is_reserved,
                lease: registered.stage.settings().lease,
                stage: stage.clone(),
            });
            room.permits.insert(stage, permits);
        }
        room
    }

    /// Nobody else knows of a lease whose job is not worked on here: the job would wait until it runs out.
    fn hand_back(&self, held: Held) {
        let committer = self.committer.clone();
        tokio::spawn(async move {
            committer.settle(Report { held, outcome: Outcome::Released }).await;
        });
    }
}

/// Those that are free at this moment, up to `most`; `None` when there is none.
fn take(permits: &Arc<Semaphore>, most: usize) -> Option<OwnedSemaphorePermit> {
    loop {
        let free = u32::try_from(permits.available_permits().min(most)).unwrap_or(u32::MAX);
        if free == 0 {
            return None;
        }
        if let Ok(taken) = Arc::clone(permits).try_acquire_many_owned(free) {
            return Some(taken);
        }
    }
}
