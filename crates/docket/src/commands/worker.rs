//! `docket worker`

use std::process::ExitCode;

use ops::{Intake, VectorsKeeper};

use crate::backend::{Folder, OpenDatabase};
use crate::config::Config;
use crate::models;
use crate::readers;
use crate::say::say;
use crate::signals::stop_on_signal;
use crate::stages::{self, Drills, Equipment};
use crate::system;
use crate::workers::Workers;

/// Works until a signal; then finishes or hands back what is under way.
pub(crate) async fn run(config: &Config, drills: Drills) -> anyhow::Result<ExitCode> {
    let stop = stop_on_signal()?;
    let settings = stages::intake_settings(config, drills)?;
    let (database, blobs) = OpenDatabase::attach_with_blobs(config, Folder::MustBeThere).await?;
    let reader = readers::reader(&config.read)?;
    let ids = system::environment().ids;
    let intake = Intake::new(database.store().clone(), blobs.clone(), ids, settings);
    let children = config.read.children;
    let embedding = models::embedding(&config.search)?;
    let clock = system::environment().clock;
    let vectors = VectorsKeeper::new(database.store().clone(), embedding, clock);
    let equipment = Equipment { blobs: &blobs, reader, children, intake, vectors: vectors.clone() };
    let stages = stages::registered(drills, equipment);
    let worked = match Workers::start(database.store(), &blobs, stages, vectors, config) {
        Ok(workers) => {
            say(format_args!("Worker {} is ready", workers.id()));
            say(format_args!("  works on     {}", workers.description()));
            stop.cancelled().await;
            workers.stop(config.shutdown_grace).await;
            tracing::info!("stopped");
            Ok(())
        }
        Err(error) => Err(error),
    };
    database.close_after(worked).await?;
    Ok(ExitCode::SUCCESS)
}
