//! A worker: claims when there is room, wakes when there is work, stops cleanly.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use domain::{StageName, TenantId};
use store::{Claim, ClaimedJob, Held, Outcome, Report, StageRoom, Store, StoreError};
use tokio::sync::{Mutex, Notify, OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinHandle;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::{CancellationToken, DropGuard};
use uuid::Uuid;

use crate::carry::carry;
use crate::committer::Committer;
use crate::environment::Environment;
use crate::heartbeat::Heart;
use crate::held::{HeldLeases, Holding};
use crate::stage::Stages;

/// The most jobs in one claim: the first of them should not wait long for the last.
const MOST_AT_ONCE: usize = 256;

#[derive(Clone, Debug)]
pub struct WorkerSettings {
    /// What others know this worker by.
    pub worker_id: String,
    /// How many jobs may be under way at once, of all stages together.
    pub max_jobs: usize,
    /// How often to look for work that nobody announced.
    pub poll_every: Duration,
    pub heartbeat_every: Duration,
    /// After how many dead workers a job is given up.
    pub allowed_expiries: u32,
}

impl WorkerSettings {
    pub fn named(worker_id: impl Into<String>) -> Self {
        Self {
            worker_id: worker_id.into(),
            max_jobs: 16,
            poll_every: Duration::from_secs(2),
            heartbeat_every: Duration::from_secs(5),
            allowed_expiries: 4,
        }
    }
}

/// What the tasks of one worker share.
#[derive(Debug)]
pub(crate) struct Shop {
    pub(crate) settings: WorkerSettings,
    pub(crate) environment: Environment,
    pub(crate) store: Store,
    pub(crate) stages: Stages,
    pub(crate) held: HeldLeases,
    pub(crate) committer: Committer,
    /// Whose turn it was last, by stage. Locked while a claim is under way.
    pub(crate) turns: Mutex<HashMap<StageName, TenantId>>,
    /// One for each job that may still be taken on.
    places: Arc<Semaphore>,
    wake: Notify,
    /// There may be work that no claim has looked for: a full worker looks for guests only then.
    news: AtomicBool,
    /// The last claim had room in every stage and found nothing.
    dry: AtomicBool,
    /// No new work from here on.
    pub(crate) stopping: CancellationToken,
    /// No more work at all: what still runs is handed back.
    pub(crate) cut_off: CancellationToken,
    closing: CancellationToken,
}

/// Works until it is stopped. Dropped, it takes nothing new and lets its leases run out.
#[derive(Debug)]
pub struct Worker {
    shop: Arc<Shop>,
    heart: Heart,
    tasks: Vec<JoinHandle<()>>,
    _stops_when_dropped: DropGuard,
}

impl Worker {
    /// Ready to work, but not working yet: see [`Worker::start`] and [`Worker::work_off`].
    pub fn new(
        store: Store,
        stages: Stages,
        environment: Environment,
        settings: WorkerSettings,
    ) -> io::Result<Self> {
        let held = HeldLeases::default();
        let clock = Arc::clone(&environment.clock);
        let heart = Heart::start(store.clone(), clock, held.clone(), settings.heartbeat_every)?;
        let closing = CancellationToken::new();
        let committer =
            Committer::start(store.clone(), Arc::clone(&environment.clock), closing.clone());
        let shop = Arc::new(Shop {
            places: Arc::new(Semaphore::new(settings.max_jobs)),
            settings,
            environment,
            store,
            stages,
            held,
            committer,
            turns: Mutex::default(),
            wake: Notify::new(),
            news: AtomicBool::new(true),
            dry: AtomicBool::new(false),
            stopping: CancellationToken::new(),
            cut_off: CancellationToken::new(),
            closing,
        });
        let guard = shop.stopping.clone().drop_guard();
        Ok(Self { shop, heart, tasks: Vec::new(), _stops_when_dropped: guard })
    }

    /// Works in the background from now on.
    #[must_use]
    pub fn start(mut self) -> Self {
        let (attending, listening) = (Arc::clone(&self.shop), Arc::clone(&self.shop));
        self.tasks.push(tokio::spawn(async move { attending.attend().await }));
        self.tasks.push(tokio::spawn(async move {
            tokio::select! {
                () = listening.stopping.cancelled() => {}
                () = listening.listen() => {}
            }
        }));
        self
    }

    /// Says that there may be work.
    pub fn wake(&self) {
        self.shop.hear_of_work();
    }

    /// Works until nothing waits that could be worked on now.
    pub async fn work_off(&self) -> Result<(), StoreError> {
        loop {
            self.shop.rescue().await?;
            let claimed = self.shop.claim().await?;
            self.shop.everybody_is_done().await;
            if claimed == 0 {
                return Ok(());
            }
        }
    }

    /// Takes nothing new, lets what runs finish within `grace`, and hands the rest back at once.
    pub async fn stop(self, grace: Duration) {
        const TO_LET_GO: Duration = Duration::from_secs(2);
        let shop = &self.shop;
        shop.stopping.cancel();
        for task in self.tasks {
            if task.await.is_err() {
                tracing::error!("a part of the worker ended in a panic");
            }
        }
        if tokio::time::timeout(grace, shop.everybody_is_done()).await.is_err() {
            shop.cut_off.cancel();
            if tokio::time::timeout(TO_LET_GO, shop.everybody_is_done()).await.is_err()
                && tokio::time::timeout(TO_LET_GO, shop.release_all()).await.is_err()
            {
                tracing::warn!("the database is away: jobs under way wait for their leases' end");
            }
        }
        shop.closing.cancel();
        self.heart.stop().await;
    }
}

/// What a claim may fill. What it leaves is free again when this is dropped.
#[derive(Debug, Default)]
struct Room {
    rooms: Vec<StageRoom>,
    places: Option<OwnedSemaphorePermit>,
    /// Of each stage: its slots, or else the seat for a guest.
    slots: HashMap<StageName, OwnedSemaphorePermit>,
}

impl Room {
    fn is_for_guests(&self) -> bool {
        self.rooms.iter().any(|room| room.for_guest)
    }

    /// Whether nothing that waits for one of `stages` stages can have been overlooked.
    fn is_everywhere(&self, stages: usize) -> bool {
        self.rooms.len() == stages && !self.is_for_guests()
    }

    /// A place in the worker and a slot of the stage; a guest has the seat for both.
    fn seat(
        &mut self,
        job: &ClaimedJob,
    ) -> Option<(OwnedSemaphorePermit, Option<OwnedSemaphorePermit>)> {
        let slot = self.slots.get_mut(&job.stage)?.split(1)?;
        if job.is_guest {
            return Some((slot, None));
        }
        Some((self.places.as_mut()?.split(1)?, Some(slot)))
    }
}

impl Drop for Shop {
    fn drop(&mut self) {
        self.closing.cancel();
    }
}

impl Shop {
    async fn attend(self: &Arc<Self>) {
        const AFTER_AN_ERROR: Duration = Duration::from_secs(1);
        let mut poll = tokio::time::interval(self.settings.poll_every);
        poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while !self.stopping.is_cancelled() {
            match self.claim().await {
                Ok(0) => {}
                Ok(_) => continue,
                Err(error) => {
                    tracing::warn!(error = &error as &dyn std::error::Error, "a claim failed");
                    tokio::time::sleep(AFTER_AN_ERROR).await;
                }
            }
            tokio::select! {
                () = self.stopping.cancelled() => return,
                () = self.wake.notified() => {}
                _ = poll.tick() => {
                    self.news.store(true, Ordering::Relaxed);
                    if let Err(error) = self.rescue().await {
                        tracing::warn!(error = &error as &dyn std::error::Error, "a rescue failed");
                    }
                }
            }
        }
    }

    fn hear_of_work(&self) {
        self.news.store(true, Ordering::Relaxed);
        self.wake.notify_one();
    }

    /// Hears of work that other processes queue.
    async fn listen(&self) {
        const BEFORE_ANOTHER_TRY: Duration = Duration::from_secs(1);
        loop {
            if let Ok(mut feed) = self.store.follow_work().await {
                while feed.changed().await.is_ok() {
                    self.hear_of_work();
                }
            }
            tokio::time::sleep(BEFORE_ANOTHER_TRY).await;
        }
    }

    /// Claims what there is room for; returns how many jobs that were.
    async fn claim(self: &Arc<Self>) -> Result<usize, StoreError> {
        // Tasks that were told together end together: let those make room that are about to.
        tokio::task::yield_now().await;
        let mut turns = self.turns.lock().await;
        self.dry.store(false, Ordering::Relaxed);
        let mut room = self.room();
        if room.rooms.is_empty() {
            return Ok(0);
        }
        let at_work = if room.is_for_guests() { self.held.tenants() } else { Vec::new() };
        let asked = self.environment.clock.now();
        let mut across = self.store.on_the_queue().await?;
        // It may have taken a while to get through: leases, and the record of them, begin now.
        let now = self.environment.clock.now();
        for stage in &mut room.rooms {
            stage.lease_until += now - asked;
            stage.last_tenant = turns.get(&stage.stage).copied().unwrap_or(TenantId(Uuid::nil()));
        }
        let claim = Claim {
            rooms: &room.rooms,
            most: room.places.as_ref().map_or(0, OwnedSemaphorePermit::num_permits),
            at_work: &at_work,
            worker_id: &self.settings.worker_id,
            now,
        };
        let jobs = across.claim_jobs(&claim).await?;
        if self.stopping.is_cancelled() {
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
            let Some((place, slot)) = room.seat(&job) else { continue };
            let (shop, holding) = (Arc::clone(self), self.hold(&job));
            tokio::spawn(async move {
                carry(Arc::clone(&shop), job, holding, slot).await;
                drop(place);
                if !shop.dry.load(Ordering::Relaxed) {
                    shop.wake.notify_one();
                }
            });
        }
        self.dry.store(
            claimed == 0 && room.is_everywhere(self.stages.iter().count()),
            Ordering::Relaxed,
        );
        Ok(claimed)
    }

    /// What may be taken on now.
    fn room(&self) -> Room {
        let now = self.environment.clock.now();
        let mut room = Room { places: take(&self.places, MOST_AT_ONCE), ..Room::default() };
        let most = room.places.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let may_be_guests = self.news.swap(false, Ordering::Relaxed) || most > 0;
        for registered in self.stages.iter() {
            let slots = take(&registered.slots, most);
            let for_guest = slots.is_none();
            let seat = || take(&registered.guest_seat, 1).filter(|_| may_be_guests);
            let Some(free) = slots.or_else(seat) else { continue };
            let stage = registered.stage.name().clone();
            room.rooms.push(StageRoom {
                room: free.num_permits(),
                last_tenant: TenantId(Uuid::nil()),
                lease_until: now + registered.stage.settings().lease,
                for_guest,
                stage: stage.clone(),
            });
            room.slots.insert(stage, free);
        }
        room
    }

    pub(crate) fn hold(&self, job: &ClaimedJob) -> Holding {
        let stage = self.stages.find(&job.stage);
        let settings = stage.map(|registered| registered.stage.settings().lease);
        self.held.hold(job, settings.unwrap_or_default())
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

    /// Takes back what dead workers had.
    async fn rescue(&self) -> Result<(), StoreError> {
        const AT_ONCE: u32 = 100;
        let mut across = self.store.on_the_queue().await?;
        let now = self.environment.clock.now();
        let taken = across.take_back_expired(now, self.settings.allowed_expiries, AT_ONCE).await?;
        across.commit().await?;
        if !taken.is_empty() {
            tracing::warn!(jobs = taken.len(), "took back jobs whose worker stopped responding");
        }
        Ok(())
    }

    async fn everybody_is_done(&self) {
        let all = u32::try_from(self.settings.max_jobs).unwrap_or(u32::MAX);
        drop(self.places.acquire_many(all).await);
        for registered in self.stages.iter() {
            drop(registered.guest_seat.acquire().await);
        }
    }

    /// For what does not even let go when told to: the leases, at least, are free.
    async fn release_all(&self) {
        for (held, _) in self.held.all() {
            self.committer.settle(Report { held, outcome: Outcome::Released }).await;
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
