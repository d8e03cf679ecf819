//! `docket worker`

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use engine::WorkerHealth;
use ops::{EmbeddingMaintenance, Intake, PausedJobsCache, ReadinessProbe, TenantExtraction};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::backend::{DataFolder, OpenDatabase};
use crate::config::Config;
use crate::listener::{install_metrics, listen};
use crate::models;
use crate::readers;
use crate::say::say;
use crate::signals::stop_on_signal;
use crate::stages::{self, AddStages, StageDependencies};
use crate::workers::{Workers, probe};

/// Runs until a signal; then finishes the running jobs, or returns them to the queue.
pub(crate) async fn run(config: &Config, add_stages: AddStages) -> anyhow::Result<ExitCode> {
    let stop = stop_on_signal()?;
    let settings = stages::intake_settings(config, add_stages)?;
    let listener = match config.limits.metrics_listen {
        Some(address) => Some(listen(address, "--metrics-listen").await?),
        None => None,
    };
    let (database, blobs) = OpenDatabase::attach_for_work(config, DataFolder::MustExist).await?;
    let store = database.store().clone();
    let (clock, ids) = (Arc::clone(store.clock()), Arc::clone(store.ids()));
    let intake = Intake::new(store, blobs.clone(), Arc::clone(&ids), Arc::clone(&clock), settings);
    let embedding = models::embedding(&config.search)?;
    let vectors =
        EmbeddingMaintenance::new(database.store().clone(), embedding, Arc::clone(&clock));
    let (reader, children) = (readers::reader(&config.read)?, config.read.children);
    let sandbox = readers::check_sandbox(&reader).await;
    let dependencies = StageDependencies {
        blobs: &blobs,
        ids,
        reader,
        reads_documents: sandbox.reads_documents(),
        children,
        intake,
        vectors: vectors.clone(),
        extraction: TenantExtraction::new(database.store().clone()),
        language_model: models::field_model(&config.search)?,
    };
    let stages = stages::registered(add_stages, dependencies);
    let worked = async {
        let address = listener.as_ref().map(TcpListener::local_addr).transpose();
        let address = address.context("the listening address cannot be read")?;
        let problem = sandbox.problem();
        let health = WorkerHealth::default();
        let readiness_probe = ReadinessProbe {
            store: database.store().clone(),
            blobs: blobs.clone(),
            clock,
            sandbox: Some(sandbox),
            worker: Some(probe(&health, true)),
            paused_jobs_cache: PausedJobsCache::default(),
        };
        let metrics = serve_metrics(config, readiness_probe, listener, stop.clone())?;
        let workers = Workers::start(database.store(), &blobs, stages, vectors, config, health)?;
        say(format_args!("Worker {} is ready", workers.id()));
        say(format_args!("  works on     {}", workers.description()));
        if let Some(problem) = problem {
            say(format_args!("  sandbox      {problem}"));
        }
        if let Some(address) = address {
            say(format_args!("  metrics      http://{address}/metrics"));
        }
        let working = async {
            stop.cancelled().await;
            workers.stop(config.shutdown_grace).await;
        };
        tokio::join!(metrics, working);
        tracing::info!("stopped");
        Ok(())
    };
    let worked = worked.await;
    database.close_after(worked).await?;
    Ok(ExitCode::SUCCESS)
}

/// Serves metrics and health, when an address is configured.
fn serve_metrics(
    config: &Config,
    readiness_probe: ReadinessProbe,
    listener: Option<TcpListener>,
    stop: CancellationToken,
) -> anyhow::Result<impl Future<Output = ()>> {
    let metrics = install_metrics(&config.limits)?;
    let grace = config.shutdown_grace;
    Ok(async move {
        if let Some(listener) = listener {
            api::serve(listener, api::worker_router(readiness_probe, metrics), stop, grace).await;
        }
    })
}
