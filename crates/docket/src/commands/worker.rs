//! `docket worker`

use std::process::ExitCode;

use crate::backend::{Folder, OpenDatabase};
use crate::config::Config;
use crate::readers;
use crate::say::say;
use crate::signals::stop_on_signal;
use crate::stages::{self, Drills};
use crate::workers::Workers;

/// Works until a signal; then finishes or hands back what is under way.
pub(crate) async fn run(config: &Config, drills: Drills) -> anyhow::Result<ExitCode> {
    let stop = stop_on_signal()?;
    stages::default_pipeline(config, drills)?;
    let (database, blobs) = OpenDatabase::attach_with_blobs(config, Folder::MustBeThere).await?;
    let reader = readers::reader(&config.read)?;
    let stages = stages::registered(drills, &blobs, reader, config.read.children);
    let worked = match Workers::start(database.store(), &blobs, stages, config) {
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
