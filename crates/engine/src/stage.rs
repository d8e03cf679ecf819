//! Stages: values registered by name.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::{
    ContentHash, DocId, EarlierArtifacts, Failure, RetryPolicy, RunConfig, RunId, Secret,
    StageName, StageOutput, TenantId,
};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

pub type StageFuture<'a> = Pin<Box<dyn Future<Output = Result<StageOutput, Failure>> + Send + 'a>>;

/// One hop of a run. It may be run more than once for the same work (a worker died, a lease was
/// lost), so running it again must give the same result.
pub trait Stage: Send + Sync {
    fn name(&self) -> &StageName;

    fn settings(&self) -> &StageSettings;

    /// Whether there is anything to do after what the stages before it left. When there is not, the stage is run
    /// without a slot, so that the document does not wait for those that keep the stage busy.
    fn has_work(&self, earlier: &EarlierArtifacts) -> bool {
        let _ = earlier;
        true
    }

    /// Does the work. The future is dropped when nobody wants the result any more.
    fn run<'a>(&'a self, work: &'a StageInput) -> StageFuture<'a>;
}

#[derive(Clone, Debug)]
pub struct StageSettings {
    /// How many may run at once in one worker; and one more, when it is the only one of its tenant there.
    pub concurrency: usize,
    /// How long after the last heartbeat somebody else may take over.
    pub lease: Duration,
    /// How long one run of the stage may take.
    pub deadline: Duration,
    pub policy: RetryPolicy,
}

impl Default for StageSettings {
    fn default() -> Self {
        Self {
            concurrency: 4,
            lease: Duration::from_secs(15),
            deadline: Duration::from_mins(10),
            policy: RetryPolicy::PIPELINE,
        }
    }
}

/// What a stage is asked to do.
#[derive(Clone, Debug)]
pub struct StageInput {
    pub tenant_id: TenantId,
    pub run_id: RunId,
    pub doc_id: DocId,
    /// The original that the run is about.
    pub content: Option<ContentHash>,
    /// What the run was told when it was made.
    pub config: Arc<RunConfig>,
    /// Opens the original.
    pub password: Option<Secret>,
    /// What the stages before it left.
    pub earlier: Arc<EarlierArtifacts>,
    pub stage: StageName,
    /// Counted from 1.
    pub attempt: u32,
    pub trace_parent: Option<String>,
    /// After this moment nobody waits for the result any more.
    pub deadline: DateTime<Utc>,
    /// Fires when the result is of no use: the lease is lost, the run cancelled, the worker stops.
    pub cancelled: CancellationToken,
    pub progress: Progress,
}

/// Where a stage that takes long says how far it is. Those who follow the document hear of it about
/// once a second.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<AtomicU64>);

impl Progress {
    pub fn tell(&self, done: u32, total: u32) {
        self.0.store(u64::from(total) << 32 | u64::from(done), Ordering::Relaxed);
    }

    /// So many of so many; `None` before anything was told.
    pub fn told(&self) -> Option<(u32, u32)> {
        let both = self.0.load(Ordering::Relaxed);
        #[expect(clippy::cast_possible_truncation, reason = "each half is one number")]
        let (done, total) = (both as u32, (both >> 32) as u32);
        (total > 0).then_some((done, total))
    }
}

/// The stages a worker has, in the pipeline's order.
#[derive(Clone, Default)]
pub struct Stages {
    registered: Vec<Registered>,
}

#[derive(Clone)]
pub(crate) struct Registered {
    pub(crate) stage: Arc<dyn Stage>,
    /// One for each job of the stage that may still be taken on.
    pub(crate) slots: Arc<Semaphore>,
    /// One beyond those, for a tenant that has nothing under way here: so that somebody's thousand jobs
    /// keep nobody else's single one waiting, however long each of them takes.
    pub(crate) reserved_slot: Arc<Semaphore>,
}

impl Stages {
    /// Adds a stage; one of the same name makes way for it.
    #[must_use]
    pub fn with(mut self, stage: impl Stage + 'static) -> Self {
        self.registered.retain(|registered| registered.stage.name() != stage.name());
        let slots = Arc::new(Semaphore::new(stage.settings().concurrency));
        let reserved_slot = Arc::new(Semaphore::new(1));
        self.registered.push(Registered { stage: Arc::new(stage), slots, reserved_slot });
        self
    }

    /// Leaves stages out: their jobs wait for another worker.
    #[must_use]
    pub fn without(mut self, names: &[StageName]) -> Self {
        self.registered.retain(|registered| !names.contains(registered.stage.name()));
        self
    }

    pub fn get(&self, name: &StageName) -> Option<&dyn Stage> {
        self.find(name).map(|registered| registered.stage.as_ref())
    }

    pub fn names(&self) -> impl Iterator<Item = &StageName> {
        self.iter().map(|registered| registered.stage.name())
    }

    pub(crate) fn find(&self, name: &StageName) -> Option<&Registered> {
        self.registered.iter().find(|registered| registered.stage.name() == name)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Registered> {
        self.registered.iter()
    }

    /// How often the stage may be retried; for one that runs elsewhere, as the pipeline's do.
    pub fn retries_of(&self, name: &StageName) -> u32 {
        self.get(name).map_or(RetryPolicy::PIPELINE, |stage| stage.settings().policy).retries()
    }
}

impl fmt::Debug for Stages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}
