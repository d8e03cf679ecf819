//! `docket worker`

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use engine::WorkerHealth;
use ops::{Intake, RecentPauses, VectorsKeeper, Vitals};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::answering::{count, listen};
use crate::backend::{Folder, OpenDatabase};
use crate::config::Config;
use crate::models;
use crate::readers;
use crate::say::say;
use crate::signals::stop_on_signal;
use crate::stages::{self, AddStages, StageDependencies};
use crate::workers::{Workers, probe};

/// Works until a signal; then finishes or hands back what is under way.
pub(crate) async fn run(config: &Config, add_stages: AddStages) -> anyhow::Result<ExitCode> {
    let stop = stop_on_signal()?;
    let settings = stages::intake_settings(config, add_stages)?;
    let listener = match config.limits.metrics_listen {
        Some(address) => Some(listen(address, "--metrics-listen").await?),
        None => None,
    };
    let (database, blobs) = OpenDatabase::attach_for_work(config, Folder::MustBeThere).await?;
    let store = database.store().clone();
    let (clock, ids) = (Arc::clone(store.clock()), Arc::clone(store.ids()));
    let intake = Intake::new(store, blobs.clone(), Arc::clone(&ids), Arc::clone(&clock), settings);
    let embedding = models::embedding(&config.search)?;
    let vectors = VectorsKeeper::new(database.store().clone(), embedding, Arc::clone(&clock));
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
    };
    let stages = stages::registered(add_stages, dependencies);
    let worked = async {
        let address = listener.as_ref().map(TcpListener::local_addr).transpose();
        let address = address.context("the listening address cannot be read")?;
        let problem = sandbox.problem();
        let health = WorkerHealth::default();
        let vitals = Vitals {
            store: database.store().clone(),
            blobs: blobs.clone(),
            clock,
            sandbox: Some(sandbox),
            worker: Some(probe(&health, true)),
            recent_pauses: RecentPauses::default(),
        };
        let answering = answering(config, vitals, listener, stop.clone())?;
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
        tokio::join!(answering, working);
        tracing::info!("stopped");
        Ok(())
    };
    let worked = worked.await;
    database.close_after(worked).await?;
    Ok(ExitCode::SUCCESS)
}

/// Tells whoever asks how the worker is, when there is an address for it.
fn answering(
    config: &Config,
    vitals: Vitals,
    listener: Option<TcpListener>,
    stop: CancellationToken,
) -> anyhow::Result<impl Future<Output = ()>> {
    let metrics = count(&config.limits)?;
    let grace = config.shutdown_grace;
    Ok(async move {
        if let Some(listener) = listener {
            api::serve(listener, api::worker_router(vitals, metrics), stop, grace).await;
        }
    })
}
