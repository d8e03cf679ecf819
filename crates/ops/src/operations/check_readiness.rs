//! Readiness: whether this process can serve, and the state of each dependency.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use blob::Blobs;
use domain::Clock;
use reading::sandbox::{SandboxPolicy, SandboxReport};
use store::Store;

use crate::Operations;
use crate::operations::paused_jobs::PausedJobsCache;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    pub name: &'static str,
    /// `None` if it works.
    pub problem: Option<String>,
    /// Whether the process cannot serve at all without it. Otherwise it serves in part, and an orchestrator should neither
    /// take it out of rotation nor restart it.
    pub is_essential: bool,
}

impl Dependency {
    fn essential(name: &'static str, problem: Option<String>) -> Self {
        Self { name, problem, is_essential: true }
    }
}

#[derive(Clone, Debug)]
pub struct Readiness {
    pub dependencies: Vec<Dependency>,
}

impl Readiness {
    pub fn is_ready(&self) -> bool {
        let is_failing =
            |dependency: &Dependency| dependency.is_essential && dependency.problem.is_some();
        !self.dependencies.iter().any(is_failing)
    }
}

/// The state of the worker inside a process.
#[derive(Clone)]
pub struct WorkerProbe {
    /// What is wrong with it, as a sentence.
    pub problem: Arc<dyn Fn() -> Option<String> + Send + Sync>,
    /// Whether the process has no other purpose. A server still responds without its worker.
    pub is_essential: bool,
}

/// Checks what every process of Docket depends on, servers and workers.
#[derive(Clone)]
pub struct ReadinessProbe {
    pub store: Store,
    pub blobs: Blobs,
    pub clock: Arc<dyn Clock>,
    /// The sandbox status, if the process reads documents.
    pub sandbox: Option<SandboxReport>,
    /// If the process has a worker.
    pub worker: Option<WorkerProbe>,
    pub paused_jobs_cache: PausedJobsCache,
}

impl ReadinessProbe {
    /// Shorter than the timeouts of orchestrators' probes.
    pub(crate) const PROBE_TIMEOUT: Duration = Duration::from_secs(2);

    /// Checks the dependencies concurrently, so that timeouts do not add up.
    pub async fn check_readiness(&self) -> Readiness {
        let objects = async { self.blobs.check().await.err().map(|error| error.to_string()) };
        let (database, objects, paused) =
            tokio::join!(self.check_database(), objects, self.paused_jobs());
        let is_database_up = database.is_none();
        let mut dependencies = vec![
            Dependency::essential("database", database),
            Dependency::essential("objects", objects),
        ];
        dependencies.extend(self.sandbox.as_ref().map(|report| Dependency {
            name: "sandbox",
            problem: report.problem(),
            is_essential: false,
        }));
        if is_database_up {
            dependencies.extend(paused);
        }
        dependencies.extend(self.worker.as_ref().map(|worker| Dependency {
            name: "worker",
            problem: (worker.problem)(),
            is_essential: worker.is_essential,
        }));
        dependencies.extend(self.check_clock());
        Readiness { dependencies }
    }

    async fn check_database(&self) -> Option<String> {
        match tokio::time::timeout(Self::PROBE_TIMEOUT, self.store.check()).await {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(error.to_string()),
            Err(_) => Some(format!("no response within {} s", Self::PROBE_TIMEOUT.as_secs())),
        }
    }

    /// Sets the gauges of the sandbox and of the clock.
    pub fn measure_sandbox(&self) {
        self.measure_clock();
        let Some(report) = &self.sandbox else { return };
        let number = |is_so: bool| if is_so { 1.0 } else { 0.0 };
        for (lock, is_active) in report.locks() {
            metrics::gauge!("docket_sandbox_active", "lock" => lock).set(number(is_active));
        }
        let is_required = report.policy == SandboxPolicy::Required;
        metrics::gauge!("docket_sandbox_required").set(number(is_required));
    }
}

impl Operations {
    /// Readiness of a server, whose credential cache must be fresh as well.
    pub async fn check_readiness(&self) -> Readiness {
        let mut readiness = self.readiness_probe().check_readiness().await;
        let problem = (!self.access.credentials.is_fresh(self.store.clock().as_ref()))
            .then(|| "revocations could not be read for more than a minute".to_owned());
        readiness.dependencies.push(Dependency::essential("access", problem));
        readiness
    }

    /// The sandbox status of the process.
    pub fn sandbox(&self) -> Option<&SandboxReport> {
        self.sandbox.as_ref()
    }

    pub fn measure_sandbox(&self) {
        self.readiness_probe().measure_sandbox();
    }

    pub(crate) fn readiness_probe(&self) -> ReadinessProbe {
        let (store, blobs) = (self.store.clone(), self.blobs.clone());
        let (sandbox, worker) = (self.sandbox.clone(), self.worker.get().cloned());
        let (clock, paused_jobs_cache) =
            (Arc::clone(self.store.clock()), self.paused_jobs_cache.clone());
        ReadinessProbe { store, blobs, clock, sandbox, worker, paused_jobs_cache }
    }

    /// Includes the worker of this process in readiness.
    pub fn watch_worker(&self, worker: WorkerProbe) {
        // A process has one worker, so a second call is ignored.
        self.worker.set(worker).ok();
    }
}

impl fmt::Debug for WorkerProbe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkerProbe").field("problem", &(self.problem)()).finish_non_exhaustive()
    }
}

impl fmt::Debug for ReadinessProbe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadinessProbe").finish_non_exhaustive()
    }
}
