//! A worker: it claims jobs while it has free slots, waits for new jobs, and stops cleanly.

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
    /// Identifies this worker in leases, logs and audit rows.
    pub worker_id: String,
    /// How many jobs may run at once, of all stages together.
    pub max_jobs: usize,
    /// How often to look for jobs without a notification.
    pub poll_every: Duration,
    pub heartbeat_every: Duration,
    /// After how many expired leases a job becomes dead. Before that, each expiry delays it longer
    /// (`RetryPolicy::LOST_WORKER`).
    pub allowed_expiries: u32,
    /// Records which supervised parts of the worker do not run.
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
    /// One permit for each further job that may run.
    pub(crate) job_slots: Arc<Semaphore>,
    pub(crate) source: Arc<dyn JobSource>,
    /// Notified when there may be new jobs or free slots.
    pub(crate) wake: Notify,
    /// Held during a claim.
    pub(crate) claim_lock: Mutex<()>,
    /// Fires when the worker claims no more jobs.
    pub(crate) stopping: CancellationToken,
    /// Fires when the grace period is over: running jobs are released.
    pub(crate) abort: CancellationToken,
    closing: CancellationToken,
}

/// Works until it is stopped. A worker that is dropped claims no more jobs and lets its leases expire.
#[derive(Debug)]
pub struct Worker {
    shared: Arc<WorkerShared>,
    heartbeat: HeartbeatThread,
    tasks: Vec<JoinHandle<()>>,
    _stop_on_drop: DropGuard,
}

impl Worker {
    /// A worker on the database's queue. It does nothing until [`Worker::start`] or [`Worker::run_until_idle`].
    pub fn new(
        store: Store,
        stages: Stages,
        environment: Environment,
        settings: WorkerSettings,
    ) -> io::Result<Self> {
        let source = DatabaseSource::new(store.clone(), Arc::clone(&environment.clock));
        Self::with_source(Arc::new(source), store, stages, environment, settings)
    }

    /// A worker on another job source.
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
            job_slots: Arc::new(Semaphore::new(settings.max_jobs)),
            settings,
            environment,
            store,
            stages,
            held,
            committer,
            pauses: PauseWatch::default(),
            source,
            wake: Notify::new(),
            claim_lock: Mutex::default(),
            stopping: CancellationToken::new(),
            abort: CancellationToken::new(),
            closing,
        });
        let guard = shared.stopping.clone().drop_guard();
        Ok(Self { shared, heartbeat, tasks: Vec::new(), _stop_on_drop: guard })
    }

    /// Starts to work in the background.
    #[must_use]
    pub fn start(mut self) -> Self {
        self.spawn_supervised("claiming", |shared| async move { shared.claim_loop().await });
        self.spawn_supervised("listening", |shared| async move {
            tokio::select! {
                () = shared.stopping.cancelled() => {}
                () = shared.source.listen(&shared.wake) => {}
            }
        });
        self
    }

    fn spawn_supervised<Running: Future<Output = ()> + Send + 'static>(
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

    /// Tells the worker that there may be new jobs.
    pub fn wake(&self) {
        self.shared.wake.notify_one();
    }

    /// Works until no job is due.
    pub async fn run_until_idle(&self) -> Result<(), StoreError> {
        loop {
            self.shared.expire_leases().await?;
            let claimed = self.shared.claim().await?;
            self.shared.wait_until_idle().await;
            if claimed == 0 {
                return Ok(());
            }
        }
    }

    /// Claims no more jobs, waits up to `grace` for running ones, and then releases those that still run.
    pub async fn stop(self, grace: Duration) {
        const RELEASE_TIMEOUT: Duration = Duration::from_secs(2);
        let shared = &self.shared;
        shared.stopping.cancel();
        for task in self.tasks {
            if task.await.is_err() {
                tracing::error!("a part of the worker ended in a panic");
            }
        }
        if tokio::time::timeout(grace, shared.wait_until_idle()).await.is_err() {
            shared.abort.cancel();
            if tokio::time::timeout(RELEASE_TIMEOUT, shared.wait_until_idle()).await.is_err()
                && tokio::time::timeout(RELEASE_TIMEOUT, shared.release_all()).await.is_err()
            {
                tracing::warn!(
                    "the database is unavailable: running jobs stay leased until their leases expire"
                );
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
    async fn claim_loop(self: &Arc<Self>) {
        let mut poll = tokio::time::interval(self.settings.poll_every);
        poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while !self.stopping.is_cancelled() {
            match self.claim().await {
                // When only reserved slots are free, wait for a new job or for one that ends.
                Ok(claimed) if claimed > 0 && self.has_free_slots() => continue,
                Ok(_) => {}
                Err(error) => wait_after(&error).await,
            }
            tokio::select! {
                () = self.stopping.cancelled() => return,
                () = self.wake.notified() => {}
                _ = poll.tick() => {
                    if let Err(error) = self.expire_leases().await {
                        tracing::warn!(error = &error as &dyn std::error::Error, "expired leases were not released");
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

    /// Makes jobs with expired leases and paused jobs that are due claimable again.
    async fn expire_leases(&self) -> Result<(), StoreError> {
        const MAX_JOBS: u32 = 100;
        let mut across = self.store.queue_transaction().await?;
        let Some(now) = self.environment.clock.now_for(ClockUse::Expire) else {
            return across.rollback().await;
        };
        let expired = across.expire_leases(now, self.settings.allowed_expiries, MAX_JOBS).await?;
        if !expired.is_empty() && !across.confirms_time_for(ClockUse::Expire).await? {
            return across.rollback().await;
        }
        self.resume_paused(&mut across).await?;
        across.commit().await?;
        if !expired.is_empty() {
            tracing::warn!(
                jobs = expired.len(),
                "released the jobs of workers that stopped responding"
            );
        }
        self.watch_pauses().await
    }

    async fn wait_until_idle(&self) {
        let all = u32::try_from(self.settings.max_jobs).unwrap_or(u32::MAX);
        drop(self.job_slots.acquire_many(all).await);
        for registered in self.stages.iter() {
            drop(registered.reserved_slot.acquire().await);
        }
    }

    /// Releases the leases of stages that do not stop when they are aborted.
    async fn release_all(&self) {
        for (lease, _) in self.held.all() {
            self.committer.settle(Report { lease, outcome: Outcome::Released }).await;
        }
    }
}

async fn wait_after(error: &StoreError) {
    const RETRY_DELAY: Duration = Duration::from_secs(1);
    tracing::warn!(error = error as &dyn std::error::Error, "a claim failed");
    tokio::time::sleep(RETRY_DELAY).await;
}
