//! The worker of a process, which runs jobs, and its periodic tasks. `docket serve` and `docket worker` run the same.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use blob::Blobs;
use domain::{Environment, Random, StageName};
use engine::{
    PeriodicTask, Scheduler, Stages, Worker, WorkerHealth, WorkerSettings, clean_up_jobs,
    correct_future_times, number_events, prune_events, stale_runs,
};
use ops::{EmbeddingMaintenance, OriginalsCleanup, PasswordCleanup, Retention, WorkerProbe};
use store::Store;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::system;

/// Runs until it is stopped.
#[derive(Debug)]
pub(crate) struct Workers {
    id: String,
    /// Which stages it runs, for the operator.
    description: String,
    worker: Worker,
    schedules: JoinHandle<()>,
    no_more_schedules: CancellationToken,
}

impl Workers {
    /// How soon an expired lease is noticed. Together with the lease itself (15 s) and a PostgreSQL that is restarting,
    /// another worker must continue within 20 s.
    const POLL_EVERY: Duration = Duration::from_secs(1);
    /// How often to check whether a periodic task is due.
    const LOOK_EVERY: Duration = Duration::from_secs(15);

    pub(crate) fn start(
        store: &Store,
        blobs: &Blobs,
        stages: Stages,
        vectors: EmbeddingMaintenance,
        config: &Config,
        health: WorkerHealth,
    ) -> anyhow::Result<Self> {
        let work = &config.work;
        let environment = Environment {
            clock: Arc::clone(store.clock()),
            ids: Arc::clone(store.ids()),
            random: system::environment().random,
        };
        let id = worker_id(environment.random.as_ref());
        let description = describe(&stages, work.max_jobs);
        let settings = WorkerSettings {
            max_jobs: work.max_jobs,
            poll_every: Self::POLL_EVERY,
            health: health.clone(),
            ..WorkerSettings::named(id.clone())
        };
        let worker = Worker::new(store.clone(), stages, environment.clone(), settings)
            .context("the worker cannot start its heartbeat")?
            .start();
        let no_more_schedules = CancellationToken::new();
        let schedules = tokio::spawn({
            let (store, stop) = (store.clone(), no_more_schedules.clone());
            let periodic_tasks = periodic_tasks(&store, blobs, vectors, &environment, config);
            async move {
                let (every, clock) = (Self::LOOK_EVERY, environment.clock.as_ref());
                let keep = || periodic_tasks.run(&store, &environment, every, stop.clone());
                health.supervise("schedules", clock, &stop, keep).await;
            }
        });
        tracing::info!(worker = id, stages = description, "working");
        Ok(Self { id, description, worker, schedules, no_more_schedules })
    }

    /// The name under which this worker holds leases.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    pub(crate) fn description(&self) -> &str {
        &self.description
    }

    /// Claims no new jobs; the running ones finish within `grace`, or are returned to the queue.
    pub(crate) async fn stop(self, grace: Duration) {
        self.no_more_schedules.cancel();
        self.worker.stop(grace).await;
        if self.schedules.await.is_err() {
            tracing::error!("the schedules ended in a panic");
        }
    }
}

/// For the readiness probe. `is_essential` in a process that runs nothing but workers.
pub(crate) fn probe(health: &WorkerHealth, is_essential: bool) -> WorkerProbe {
    let health = health.clone();
    WorkerProbe { problem: Arc::new(move || health.problem()), is_essential }
}

/// The tasks that one process at a time runs, wherever there are workers.
fn periodic_tasks(
    store: &Store,
    blobs: &Blobs,
    vectors: EmbeddingMaintenance,
    environment: &Environment,
    config: &Config,
) -> Scheduler {
    let clock = || environment.clock.clone();
    Scheduler::default()
        .with(stale_runs(store.clone(), clock(), config.work.stale))
        .with(correct_future_times(store.clone(), clock()))
        .with(clean_up_jobs(store.clone(), clock(), config.work.keep_finished_jobs))
        .with(number_events(store.clone()))
        .with(prune_events(store.clone(), clock(), config.work.keep_events))
        .with(sweep_originals(OriginalsCleanup {
            store: store.clone(),
            blobs: blobs.clone(),
            clock: clock(),
            retention: Retention {
                orphans: days(config.intake.keep_orphans),
                failed: days(config.intake.keep_failed),
            },
        }))
        .with(delete_unneeded_passwords(PasswordCleanup { store: store.clone(), clock: clock() }))
        .with(embed_missing(vectors.clone()))
        .with(sweep_search(vectors))
}

/// Has work only after a change of the embedding model.
fn embed_missing(maintenance: EmbeddingMaintenance) -> PeriodicTask {
    PeriodicTask {
        name: "fill_in_vectors",
        every: Duration::from_mins(1),
        timeout: Duration::from_mins(5),
        run: Arc::new(move || {
            let maintenance = maintenance.clone();
            Box::pin(async move {
                loop {
                    match maintenance.embed_missing().await {
                        Ok(true) => {}
                        Ok(false) => return,
                        Err(error) => {
                            tracing::warn!(%error, "the embeddings of some chunks could not be computed; the next round tries again");
                            return;
                        }
                    }
                }
            })
        }),
    }
}

fn sweep_search(maintenance: EmbeddingMaintenance) -> PeriodicTask {
    PeriodicTask {
        name: "sweep_search",
        every: Duration::from_mins(30),
        timeout: Duration::from_mins(5),
        run: Arc::new(move || {
            let maintenance = maintenance.clone();
            Box::pin(async move {
                if let Err(error) = maintenance.sweep().await {
                    tracing::warn!(%error, "outdated search data was not cleaned up; the next round tries again");
                }
            })
        }),
    }
}

fn sweep_originals(cleanup: OriginalsCleanup) -> PeriodicTask {
    PeriodicTask {
        name: "sweep_originals",
        every: Duration::from_mins(10),
        timeout: Duration::from_mins(5),
        run: Arc::new(move || {
            let cleanup = cleanup.clone();
            Box::pin(async move {
                if let Err(error) = cleanup.sweep().await {
                    tracing::warn!(%error, "originals were not cleaned up; the next round tries again");
                }
            })
        }),
    }
}

fn delete_unneeded_passwords(cleanup: PasswordCleanup) -> PeriodicTask {
    PeriodicTask {
        name: "forget_passwords",
        every: Duration::from_mins(10),
        timeout: Duration::from_mins(5),
        run: Arc::new(move || {
            let cleanup = cleanup.clone();
            Box::pin(async move {
                if let Err(error) = cleanup.delete_unneeded().await {
                    tracing::warn!(%error, "passwords of documents were not deleted; the next round tries again");
                }
            })
        }),
    }
}

/// The setting is in days, so the value fits.
fn days(time: Duration) -> chrono::Duration {
    chrono::Duration::from_std(time).unwrap_or(chrono::Duration::MAX)
}

fn describe(stages: &Stages, max_jobs: usize) -> String {
    let names: Vec<&str> = stages.names().map(StageName::as_str).collect();
    match names.as_slice() {
        [] => "no stages yet".to_owned(),
        names => format!("{max_jobs} jobs at once of {}", names.join(", ")),
    }
}

/// The host name, the process id, and random digits: after a restart of the host, process ids repeat.
fn worker_id(random: &dyn Random) -> String {
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = if host.trim().is_empty() { "host" } else { host.trim() };
    let mut bytes = [0; 2];
    random.fill(&mut bytes);
    format!("{host}-{}-{:04x}", std::process::id(), u16::from_be_bytes(bytes))
}
