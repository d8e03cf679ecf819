//! Whether this process can serve, with each thing it depends on by name.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use blob::Blobs;
use domain::Clock;
use reading::sandbox::{SandboxPolicy, SandboxReport};
use store::Store;

use crate::Operations;
use crate::operations::paused_jobs::RecentPauses;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    pub name: &'static str,
    /// `None` when all is well with it.
    pub problem: Option<String>,
    /// Whether the process cannot serve at all while there is a problem. Otherwise it serves less:
    /// taking it out of rotation, or starting it again, would help nobody.
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
        let is_in_the_way = |needed: &Dependency| needed.is_essential && needed.problem.is_some();
        !self.dependencies.iter().any(is_in_the_way)
    }
}

/// How the worker inside a process is.
#[derive(Clone)]
pub struct WorkerProbe {
    /// What is wrong with it, for people.
    pub problem: Arc<dyn Fn() -> Option<String> + Send + Sync>,
    /// Whether the process is there for nothing else. One that serves still answers without it.
    pub is_essential: bool,
}

/// What every process of Docket depends on, a worker too.
#[derive(Clone)]
pub struct Vitals {
    pub store: Store,
    pub blobs: Blobs,
    pub clock: Arc<dyn Clock>,
    /// What the process found out about its sandbox, if it reads documents.
    pub sandbox: Option<SandboxReport>,
    /// If it works on documents.
    pub worker: Option<WorkerProbe>,
    pub recent_pauses: RecentPauses,
}

impl Vitals {
    /// A probe must answer before the one who probes gives up.
    pub(crate) const PROBE_TIMEOUT: Duration = Duration::from_secs(2);

    /// Asks everything at once: what is away costs its own time limit, not that of the others too.
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
            Err(_) => Some(format!("no answer within {} s", Self::PROBE_TIMEOUT.as_secs())),
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
    /// Of a process that serves: what it knows of revocations must be fresh as well.
    pub async fn check_readiness(&self) -> Readiness {
        let mut readiness = self.vitals().check_readiness().await;
        let problem = (!self.access.directory.is_fresh(self.store.clock().as_ref()))
            .then(|| "revocations were not read for more than a minute".to_owned());
        readiness.dependencies.push(Dependency::essential("access", problem));
        readiness
    }

    /// What the process found out about its sandbox.
    pub fn sandbox(&self) -> Option<&SandboxReport> {
        self.sandbox.as_ref()
    }

    pub fn measure_sandbox(&self) {
        self.vitals().measure_sandbox();
    }

    pub(crate) fn vitals(&self) -> Vitals {
        let (store, blobs) = (self.store.clone(), self.blobs.clone());
        let (sandbox, worker) = (self.sandbox.clone(), self.worker.get().cloned());
        let (clock, recent_pauses) = (Arc::clone(self.store.clock()), self.recent_pauses.clone());
        Vitals { store, blobs, clock, sandbox, worker, recent_pauses }
    }

    /// From now on readiness tells of the worker in this process too.
    pub fn watch_worker(&self, worker: WorkerProbe) {
        // Only the first one counts: a process has one worker.
        self.worker.set(worker).ok();
    }
}

impl fmt::Debug for WorkerProbe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkerProbe").field("problem", &(self.problem)()).finish_non_exhaustive()
    }
}

impl fmt::Debug for Vitals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vitals").finish_non_exhaustive()
    }
}
