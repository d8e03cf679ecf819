//! A worker: claims when there is room, wakes when there is work, stops cleanly.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use domain::{ClockUse, Environment, RetryPolicy};
use store::{ClaimedJob, Outcome, Report, Store, StoreError};
use tokio::sync::{Mutex, Notify, Semaphore};
use tokio::task::JoinHandle;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::database_source::DatabaseSource;
use crate::group_commit::GroupCommitter;
use crate::heartbeat::HeartbeatThread;
use crate::held_leases::{HeldLeases, LeaseGuard};
use crate::pausing::PauseWatch;
use crate::source::JobSource;
use crate::stage::Stages;
use crate::supervision::WorkerHealth;

#[derive(Clone, Debug)]
pub struct WorkerSettings {
    /// What others know this worker by.
    pub worker_id: String,
    /// How many jobs may be under way at once, of all stages together.
    pub max_jobs: usize,
    /// How often to look for work that nobody announced.
    pub poll_every: Duration,
    pub heartbeat_every: Duration,
    /// After how many dead workers a job is given up; before that it waits ever longer for the next one
    /// (`RetryPolicy::LOST_WORKER`).
    pub allowed_expiries: u32,
    /// Where it is told which of the worker's parts do not run.
    pub health: WorkerHealth,
}

impl WorkerSettings {
    pub fn named(worker_id: impl Into<String>) -> Self {
        Self {
            worker_id: worker_id.into(),
            max_jobs: 16,
            poll_every: Duration::from_secs(2),
            heartbeat_every: Duration::from_secs(5),
            allowed_expiries: RetryPolicy::LOST_WORKER.retries() + 1,
            health: WorkerHealth::default(),
        }
    }
}

/// What the tasks of one worker share.
#[derive(Debug)]
pub(crate) struct WorkerShared {
    pub(crate) settings: WorkerSettings,
    pub(crate) environment: Environment,
    pub(crate) store: Store,
    pub(crate) stages: Stages,
    pub(crate) held: HeldLeases,
    pub(crate) committer: GroupCommitter,
    pub(crate) pauses: PauseWatch,
    /// One for each job that may still be taken on.
    pub(crate) places: Arc<Semaphore>,
    pub(crate) source: Arc<dyn JobSource>,
    /// There may be work, or room for it.
    pub(crate) wake: Notify,
    /// Held while a claim is under way.
    pub(crate) claiming: Mutex<()>,
    /// No new work from here on.
    pub(crate) stopping: CancellationToken,
    /// No more work at all: what still runs is handed back.
    pub(crate) cut_off: CancellationToken,
    closing: CancellationToken,
}

/// Works until it is stopped. Dropped, it takes nothing new and lets its leases run out.
#[derive(Debug)]
pub struct Worker {
    shared: Arc<WorkerShared>,
    heartbeat: HeartbeatThread,
    tasks: Vec<JoinHandle<()>>,
    _stops_when_dropped: DropGuard,
}

impl Worker {
    /// Takes jobs from the database's queue. Ready to work, but not working yet: see [`Worker::start`] and
    /// [`Worker::work_off`].
    pub fn new(
        store: Store,
        stages: Stages,
        environment: Environment,
        settings: WorkerSettings,
    ) -> io::Result<Self> {
        let source = DatabaseSource::new(store.clone(), Arc::clone(&environment.clock));
        Self::with_source(Arc::new(source), store, stages, environment, settings)
    }

    /// The same, with jobs from somewhere else.
    pub fn with_source(
        source: Arc<dyn JobSource>,
        store: Store,
        stages: Stages,
        environment: Environment,
        settings: WorkerSettings,
    ) -> io::Result<Self> {
        let held = HeldLeases::default();
        let clock = Arc::clone(&environment.clock);
        let (every, health) = (settings.heartbeat_every, settings.health.clone());
        let heartbeat = HeartbeatThread::start(store.clone(), clock, held.clone(), every, health)?;
        let closing = CancellationToken::new();
        let (clock, health) = (Arc::clone(&environment.clock), settings.health.clone());
        let committer = GroupCommitter::start(store.clone(), clock, health, closing.clone());
        let shared = Arc::new(WorkerShared {
            places: Arc::new(Semaphore::new(settings.max_jobs)),
            settings,
            environment,
            store,
            stages,
            held,
            committer,
            pauses: PauseWatch::default(),
            source,
            wake: Notify::new(),
            claiming: Mutex::default(),
            stopping: CancellationToken::new(),
            cut_off: CancellationToken::new(),
            closing,
        });
        let guard = shared.stopping.clone().drop_guard();
        Ok(Self { shared, heartbeat, tasks: Vec::new(), _stops_when_dropped: guard })
    }

    /// Works in the background from now on.
    #[must_use]
    pub fn start(mut self) -> Self {
        self.keep("claiming", |shared| async move { shared.attend().await });
        self.keep("listening", |shared| async move {
            tokio::select! {
                () = shared.stopping.cancelled() => {}
                () = shared.source.listen(&shared.wake) => {}
            }
        });
        self
    }

    fn keep<Running: Future<Output = ()> + Send + 'static>(
        &mut self,
        part: &'static str,
        run: impl Fn(Arc<WorkerShared>) -> Running + Send + Sync + 'static,
    ) {
        let shared = Arc::clone(&self.shared);
        self.tasks.push(tokio::spawn(async move {
            let (health, clock) = (&shared.settings.health, shared.environment.clock.as_ref());
            health.supervise(part, clock, &shared.stopping, || run(Arc::clone(&shared))).await;
        }));
    }

    /// Says that there may be work.
    pub fn wake(&self) {
        self.shared.wake.notify_one();
    }

    /// Works until nothing waits that could be worked on now.
    pub async fn work_off(&self) -> Result<(), StoreError> {
        loop {
            self.shared.expire_leases().await?;
            let claimed = self.shared.claim().await?;
            self.shared.everybody_is_done().await;
            if claimed == 0 {
                return Ok(());
            }
        }
    }

    /// Takes nothing new, lets what runs finish within `grace`, and hands the rest back at once.
    pub async fn stop(self, grace: Duration) {
        const TO_LET_GO: Duration = Duration::from_secs(2);
        let shared = &self.shared;
        shared.stopping.cancel();
        for task in self.tasks {
            if task.await.is_err() {
                tracing::error!("a part of the worker ended in a panic");
            }
        }
        if tokio::time::timeout(grace, shared.everybody_is_done()).await.is_err() {
            shared.cut_off.cancel();
            if tokio::time::timeout(TO_LET_GO, shared.everybody_is_done()).await.is_err()
                && tokio::time::timeout(TO_LET_GO, shared.release_all()).await.is_err()
            {
                tracing::warn!("the database is away: jobs under way wait for their leases' end");
            }
        }
        shared.closing.cancel();
        self.heartbeat.stop().await;
    }
}

impl Drop for WorkerShared {
    fn drop(&mut self) {
        self.closing.cancel();
    }
}

impl WorkerShared {
    async fn attend(self: &Arc<Self>) {
        let mut poll = tokio::time::interval(self.settings.poll_every);
        poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while !self.stopping.is_cancelled() {
            match self.claim().await {
                // With none but reserved slots left, the next claim waits for news or for a job that ends.
                Ok(claimed) if claimed > 0 && self.has_free_slots() => continue,
                Ok(_) => {}
                Err(error) => wait_after(&error).await,
            }
            tokio::select! {
                () = self.stopping.cancelled() => return,
                () = self.wake.notified() => {}
                _ = poll.tick() => {
                    if let Err(error) = self.expire_leases().await {
                        tracing::warn!(error = &error as &dyn std::error::Error, "a expire_leases failed");
                    }
                }
            }
        }
    }

    pub(crate) fn hold(&self, job: &ClaimedJob) -> LeaseGuard {
        let stage = self.stages.find(&job.stage);
        let settings = stage.map(|registered| registered.stage.settings().lease);
        self.held.hold(job, settings.unwrap_or_default())
    }

    /// Takes back what dead workers had, and lets paused jobs try again.
    async fn expire_leases(&self) -> Result<(), StoreError> {
        const AT_ONCE: u32 = 100;
        let mut across = self.store.on_the_queue().await?;
        let Some(now) = self.environment.clock.now_for(ClockUse::Expire) else {
            return across.rollback().await;
        };
        let taken = across.take_back_expired(now, self.settings.allowed_expiries, AT_ONCE).await?;
        if !taken.is_empty() && !across.confirms_time_for(ClockUse::Expire).await? {
            return across.rollback().await;
        }
        self.resume_paused(&mut across).await?;
        across.commit().await?;
        if !taken.is_empty() {
            tracing::warn!(jobs = taken.len(), "took back jobs whose worker stopped responding");
        }
        self.watch_pauses().await
    }

    async fn everybody_is_done(&self) {
        let all = u32::try_from(self.settings.max_jobs).unwrap_or(u32::MAX);
        drop(self.places.acquire_many(all).await);
        for registered in self.stages.iter() {
            drop(registered.reserved_slot.acquire().await);
        }
    }

    /// For what does not even let go when told to: the leases, at least, are free.
    async fn release_all(&self) {
        for (held, _) in self.held.all() {
            self.committer.settle(Report { held, outcome: Outcome::Released }).await;
        }
    }
}

async fn wait_after(error: &StoreError) {
    const A_WHILE: Duration = Duration::from_secs(1);
    tracing::warn!(error = error as &dyn std::error::Error, "a claim failed");
    tokio::time::sleep(A_WHILE).await;
}
