//! Claims: what there is room for, and a seat for whoever has nothing under way.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use domain::{ClockUse, StageName, TenantId};
use store::{Claim, ClaimedJob, Held, Outcome, Report, StageRoom, StoreError};
use tokio::sync::{Mutex, Notify, OwnedSemaphorePermit, Semaphore};
use uuid::Uuid;

use crate::carry::carry;
use crate::stage::Registered;
use crate::worker::Shop;

/// The most jobs in one claim: the first of them should not wait long for the last.
const MOST_AT_ONCE: usize = 256;

/// Where jobs are claimed, one claim at a time.
#[derive(Debug, Default)]
pub(crate) struct Counter {
    pub(crate) wake: Notify,
    /// Whose turn it was last, by stage. Locked while a claim is under way.
    pub(crate) turns: Mutex<HashMap<StageName, TenantId>>,
}

/// What a claim may fill. What it leaves is free again when this is dropped.
#[derive(Debug, Default)]
struct Room {
    rooms: Vec<StageRoom>,
    /// Of the worker. A guest's seat is a place of its own.
    places: Option<OwnedSemaphorePermit>,
    slots: HashMap<StageName, OwnedSemaphorePermit>,
}

impl Room {
    fn most(&self) -> usize {
        self.places.as_ref().map_or(self.rooms.len(), OwnedSemaphorePermit::num_permits)
    }

    /// A place in the worker and a slot of the stage; a guest has the seat for both.
    fn take(
        &mut self,
        stage: &StageName,
    ) -> Option<(OwnedSemaphorePermit, Option<OwnedSemaphorePermit>)> {
        let slot = self.slots.get_mut(stage)?.split(1)?;
        match &mut self.places {
            Some(places) => Some((places.split(1)?, Some(slot))),
            None => Some((slot, None)),
        }
    }
}

impl Shop {
    /// Claims what there is room for; returns how many jobs that were.
    pub(crate) async fn claim(self: &Arc<Self>) -> Result<usize, StoreError> {
        // Tasks that were told together end together: let those make room that are about to.
        tokio::task::yield_now().await;
        let mut turns = self.work.turns.lock().await;
        self.is_dry.store(false, Ordering::Relaxed);
        let Some(places) = take(&self.places, MOST_AT_ONCE) else { return Ok(0) };
        let most = places.num_permits();
        let mut room = self.room(|registered| take(&registered.slots, most));
        room.places = Some(places);
        let is_everywhere = room.rooms.len() == self.stages.iter().count();
        let had_news = is_everywhere && self.has_news.swap(false, Ordering::Relaxed);
        let least = room.rooms.iter().map(|stage| stage.room).min().unwrap_or(0);
        let claimed = self.fill(room, &mut turns, &[]).await;
        // Who was not looked for, or found a stage full, may be a guest.
        if had_news && claimed.as_ref().map_or(true, |claimed| *claimed >= least) {
            self.call_for_guests();
        }
        let claimed = claimed?;
        self.is_dry.store(claimed == 0 && is_everywhere, Ordering::Relaxed);
        Ok(claimed)
    }

    /// Seats tenants that this worker has nothing of, if any wait.
    pub(crate) async fn look_for_guests(self: &Arc<Self>) -> Result<(), StoreError> {
        loop {
            let is_claiming = self.work.turns.try_lock().is_err();
            // Who would have a job here soon is no guest: nobody knows that before the first claim ends.
            let is_known = !is_claiming || !self.held.tenants().is_empty();
            if is_known && self.claim_for_guests().await? > 0 || !is_claiming {
                break;
            }
            tokio::select! {
                biased;
                // Whoever comes meanwhile does not wait for that claim either.
                () = self.guests.wake.notified() => {}
                turns = self.work.turns.lock() => {
                    drop(turns);
                    // A tenant whose only job was being claimed there may have stood in a guest's way.
                    if self.may_have_guests() {
                        self.claim_for_guests().await?;
                    }
                    break;
                }
            }
        }
        // Rows that were locked meanwhile were nowhere to be seen.
        self.work.wake.notify_one();
        Ok(())
    }

    /// A job of each stage at most.
    async fn claim_for_guests(self: &Arc<Self>) -> Result<usize, StoreError> {
        let mut turns = self.guests.turns.lock().await;
        let room = self.room(|registered| take(&registered.guest_seat, 1));
        self.fill(room, &mut turns, &self.held.tenants()).await
    }

    /// Whether somebody may wait whom no ordinary claim will look for at once: there is no room for one, or one is
    /// under way that may have looked too early.
    pub(crate) fn may_have_guests(&self) -> bool {
        let is_free = |permits: &Semaphore| permits.available_permits() > 0;
        let will_look_everywhere = || {
            self.work.turns.try_lock().is_ok()
                && is_free(&self.places)
                && self.stages.iter().all(|registered| is_free(&registered.slots))
        };
        self.has_news.load(Ordering::Relaxed) && !will_look_everywhere()
    }

    async fn fill(
        self: &Arc<Self>,
        mut room: Room,
        turns: &mut HashMap<StageName, TenantId>,
        but_for: &[TenantId],
    ) -> Result<usize, StoreError> {
        if room.rooms.is_empty() {
            return Ok(0);
        }
        let asked = self.environment.clock.now();
        let mut across = self.store.on_the_queue().await?;
        // It may have taken a while to get through: leases, and the record of them, begin now.
        let Some(now) = self.environment.clock.now_for(ClockUse::Schedule) else {
            across.rollback().await?;
            return Ok(0);
        };
        for stage in &mut room.rooms {
            stage.lease_until += now - asked;
            stage.last_tenant = turns.get(&stage.stage).copied().unwrap_or(TenantId(Uuid::nil()));
        }
        let claim = Claim {
            rooms: &room.rooms,
            most: room.most(),
            but_for,
            worker_id: &self.settings.worker_id,
            now,
        };
        let jobs = across.claim_jobs(&claim).await?;
        let is_still_for =
            |job: &ClaimedJob| room.places.is_some() || !self.held.has(job.tenant_id);
        if self.stopping.is_cancelled() || !jobs.iter().all(is_still_for) {
            across.rollback().await?;
            return Ok(0);
        }
        if let Err(error) = across.commit().await {
            self.hand_back_in_doubt(&jobs);
            return Err(error);
        }
        let claimed = jobs.len();
        for job in jobs {
            turns.insert(job.stage.clone(), job.tenant_id);
            // The statement keeps to the room it is given.
            let Some((place, slot)) = room.take(&job.stage) else { continue };
            self.set_out(job, place, slot);
        }
        Ok(claimed)
    }

    /// Lets a task carry the job, and claim again when it has made room.
    fn set_out(
        self: &Arc<Self>,
        job: ClaimedJob,
        place: OwnedSemaphorePermit,
        slot: Option<OwnedSemaphorePermit>,
    ) {
        let (is_guest, tenant_id) = (slot.is_none(), job.tenant_id);
        let (shop, holding) = (Arc::clone(self), self.hold(&job));
        tokio::spawn(async move {
            carry(Arc::clone(&shop), job, holding, slot).await;
            drop(place);
            // There is a seat again, or its tenant may be a guest from now on.
            if is_guest || !shop.held.has(tenant_id) {
                shop.call_for_guests();
            }
            if !shop.is_dry.load(Ordering::Relaxed) {
                shop.work.wake.notify_one();
            }
        });
    }

    /// What each stage has left, as `free` takes it.
    fn room(&self, free: impl Fn(&Registered) -> Option<OwnedSemaphorePermit>) -> Room {
        let now = self.environment.clock.now();
        let mut room = Room::default();
        for registered in self.stages.iter() {
            let Some(slots) = free(registered) else { continue };
            let stage = registered.stage.name().clone();
            room.rooms.push(StageRoom {
                room: slots.num_permits(),
                last_tenant: TenantId(Uuid::nil()),
                lease_until: now + registered.stage.settings().lease,
                stage: stage.clone(),
            });
            room.slots.insert(stage, slots);
        }
        room
    }

    /// The connection broke before the answer: if the claim was committed all the same, nobody else knows
    /// of these leases, and the jobs would wait until they run out.
    fn hand_back_in_doubt(&self, jobs: &[ClaimedJob]) {
        for job in jobs {
            let held = Held { job_id: job.job_id, token: job.token };
            let committer = self.committer.clone();
            tokio::spawn(async move {
                committer.settle(Report { held, outcome: Outcome::Released }).await;
            });
        }
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
