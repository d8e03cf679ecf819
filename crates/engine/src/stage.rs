//! Stages: the trait, their settings and input, and the list of a worker's stages.

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

/// One step of a run. A stage may run more than once for the same job (a worker died, a lease was lost), so it must be
/// idempotent.
pub trait Stage: Send + Sync {
    fn name(&self) -> &StageName;

    fn settings(&self) -> &StageSettings;

    /// Whether the stage has anything to do, given the artifacts of the earlier stages. When it has not, it runs without
    /// a slot, so that the document does not wait for others that occupy the stage.
    fn has_work(&self, earlier: &EarlierArtifacts) -> bool {
        let _ = earlier;
        true
    }

    /// Does the work. The future is dropped when the result is no longer needed.
    fn run<'a>(&'a self, input: &'a StageInput) -> StageFuture<'a>;
}

#[derive(Clone, Debug)]
pub struct StageSettings {
    /// How many may run at once in one worker, besides one in the reserved slot.
    pub concurrency: usize,
    /// How long after the last heartbeat another worker may take over.
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

/// What a stage works on.
#[derive(Clone, Debug)]
pub struct StageInput {
    pub tenant_id: TenantId,
    pub run_id: RunId,
    pub doc_id: DocId,
    /// The hash of the original.
    pub content: Option<ContentHash>,
    /// The run configuration.
    pub config: Arc<RunConfig>,
    /// Opens the original.
    pub password: Option<Secret>,
    /// The artifacts of the earlier stages.
    pub earlier: Arc<EarlierArtifacts>,
    pub stage: StageName,
    /// Counted from 1.
    pub attempt: u32,
    pub trace_parent: Option<String>,
    /// After this moment the result is not accepted.
    pub deadline: DateTime<Utc>,
    /// Fires when the result is not needed: the lease is lost, the run is cancelled, or the worker stops.
    pub cancelled: CancellationToken,
    pub progress: Progress,
}

/// Takes progress reports of a long stage. Subscribers to events receive them about once a second.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<AtomicU64>);

impl Progress {
    pub fn report(&self, done: u32, total: u32) {
        self.0.store(u64::from(total) << 32 | u64::from(done), Ordering::Relaxed);
    }

    /// The last report as (done, total); `None` before the first.
    pub fn latest(&self) -> Option<(u32, u32)> {
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
    /// One permit for each further job of the stage that may run.
    pub(crate) slots: Arc<Semaphore>,
    /// One more, for a tenant without running jobs in this worker: it does not wait for another tenant's long queue,
    /// however long each of those jobs takes.
    pub(crate) reserved_slot: Arc<Semaphore>,
}

impl Stages {
    /// Adds a stage, or replaces the one with the same name.
    #[must_use]
    pub fn with(mut self, stage: impl Stage + 'static) -> Self {
        self.registered.retain(|registered| registered.stage.name() != stage.name());
        let slots = Arc::new(Semaphore::new(stage.settings().concurrency));
        let reserved_slot = Arc::new(Semaphore::new(1));
        self.registered.push(Registered { stage: Arc::new(stage), slots, reserved_slot });
        self
    }

    /// Removes stages: other workers run their jobs.
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

    /// How often the stage may be retried; the default of the pipeline for a stage that this worker does not have.
    pub fn retries_of(&self, name: &StageName) -> u32 {
        self.get(name).map_or(RetryPolicy::PIPELINE, |stage| stage.settings().policy).retries()
    }
}

impl fmt::Debug for Stages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}
