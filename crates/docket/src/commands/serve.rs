//! `docket serve`

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use api::{Api, ApiSettings};
use engine::{Stages, WorkerHealth};
use ops::{FirstStart, Ops};
use reading::sandbox::SandboxReport;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::backend::{Backend, DataFolder};
use crate::commands::passwords::{self, ChosenPassword};
use crate::config::Config;
use crate::listener::{install_metrics, listen};
use crate::say::say;
use crate::signals::stop_on_signal;
use crate::stages::{self, AddStages};
use crate::system;
use crate::workers::{Workers, probe};

const FIRST_USER: &str = "admin@localhost";

pub(crate) async fn run(config: &Config, add_stages: AddStages) -> anyhow::Result<ExitCode> {
    let stop = stop_on_signal()?;
    stages::default_pipeline(config, add_stages)?;
    let first_password = passwords::choose(system::environment().random.as_ref())?;
    // Before the database is started, so that a second server started by mistake changes nothing.
    let listener = listen(config.listen, "--listen").await?;

    let backend = Backend::open(config, DataFolder::CreateIfMissing, add_stages).await?;
    let (ops, database, stages) = backend.into_parts();
    let served = serve(config, Arc::new(ops), listener, &first_password, stages, stop).await;
    // Closed also after an error: a private server must not be left running.
    database.close_after(served).await?;
    Ok(ExitCode::SUCCESS)
}

async fn serve(
    config: &Config,
    ops: Arc<Ops>,
    listener: TcpListener,
    first_password: &ChosenPassword,
    stages: Stages,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    create_first_user(&ops, first_password).await?;
    ops.operations
        .do_housekeeping()
        .await
        .context("the first housekeeping round on the database failed")?;
    let development_caller = if config.auth.enabled {
        None
    } else {
        Some(ops.access.development_caller(FIRST_USER).await?)
    };
    let limits = &config.limits;
    let settings = ApiSettings {
        rate_limit_per_second: limits.rate_limit_per_second,
        rate_limit_burst: limits.rate_limit_burst,
        request_timeout: limits.request_timeout,
        max_json_bytes: limits.json_max_bytes,
        metrics: install_metrics(limits)?,
        trusted_proxies: limits.trusted_proxies.clone(),
        configuration: config.shown.clone(),
        development_caller,
    };
    let router = api::router(&Api::new(Arc::clone(&ops), settings));
    let housekeeping = tokio::spawn({
        let (ops, stop) = (Arc::clone(&ops), stop.clone());
        async move { ops.operations.run_housekeeping(stop).await }
    });
    let checkpoints = tokio::spawn({
        let (ops, stop) = (Arc::clone(&ops), stop.clone());
        async move { ops.audit.run_checkpoint_task(stop).await }
    });
    let address = listener.local_addr().context("the listening address cannot be read")?;
    let workers = if config.work.while_serving {
        let health = WorkerHealth::default();
        ops.operations.watch_worker(probe(&health, false));
        Some(Workers::start(
            ops.store(),
            ops.blobs(),
            stages,
            ops.search.embeddings(),
            config,
            health,
        )?)
    } else {
        None
    };
    let sandbox_problem = ops.operations.sandbox().and_then(SandboxReport::problem);
    announce(config, address, workers.as_ref(), sandbox_problem.as_deref());
    let work = async {
        stop.cancelled().await;
        if let Some(workers) = workers {
            workers.stop(config.shutdown_grace).await;
        }
    };
    tokio::join!(api::serve(listener, router, stop.clone(), config.shutdown_grace), work);
    housekeeping.await.map_err(|_| anyhow::anyhow!("housekeeping ended in a panic"))?;
    checkpoints
        .await
        .map_err(|_| anyhow::anyhow!("taking checkpoints of the audit log ended in a panic"))?;
    ops.finish_background_work().await;
    tracing::info!("stopped");
    Ok(())
}

/// Creates the first user on the first start. A generated password is printed right away, because it is not stored in
/// plain text.
async fn create_first_user(ops: &Ops, first_password: &ChosenPassword) -> anyhow::Result<()> {
    let first = ops.tenants.first_start(FIRST_USER, &first_password.password).await;
    if let FirstStart::Created(user) = first.context("the first user cannot be created")? {
        say("This is the first start:");
        say(format_args!("  sign in as   {}", user.email));
        first_password.show_if_new();
    }
    Ok(())
}

fn announce(
    config: &Config,
    address: SocketAddr,
    workers: Option<&Workers>,
    sandbox_problem: Option<&str>,
) {
    say(format_args!("Docket is ready at http://{address}"));
    say(format_args!("  data folder  {}", config.data_dir.display()));
    say(format_args!("  API          http://{address}/docs/"));
    match workers {
        Some(workers) => say(format_args!("  works on     {}", workers.description())),
        None => say("  works on     nothing: start `docket worker` to process documents"),
    }
    if let Some(problem) = sandbox_problem {
        say(format_args!("  sandbox      {problem}"));
    }
    if !config.auth.enabled {
        say("  authentication is OFF: everyone who reaches this address is an administrator");
    }
    tracing::info!(%address, "ready");
}
