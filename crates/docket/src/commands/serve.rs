//! `docket serve`

use std::io;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use api::{Api, ApiSettings};
use ops::{FirstStart, Ops};
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::backend::Backend;
use crate::commands::passwords;
use crate::config::Config;
use crate::say::say;

const FIRST_USER: &str = "admin@localhost";

#[derive(Debug, Error)]
enum ListenError {
    #[error(
        "{0} is in use by another program. Stop that one, or choose another address with \
         --listen, for example --listen 127.0.0.1:0 for any free port"
    )]
    InUse(SocketAddr),
    #[error("cannot answer on {address}: {source}. Choose another address with --listen")]
    Refused { address: SocketAddr, source: io::Error },
}

pub(crate) async fn run(config: &Config) -> anyhow::Result<ExitCode> {
    let stop = CancellationToken::new();
    stop_on_signal(stop.clone())?;
    // Before the database is started, so that a second start by mistake changes nothing.
    let listener = listen(config.listen).await?;
    let address = listener.local_addr().context("the listening address cannot be read")?;

    let (ops, database) = Backend::open(config).await?.into_parts();
    let served = serve(config, Arc::new(ops), listener, address, stop).await;
    // Closed however serving went: a private server must not be left behind by an error.
    database.close().await?;
    served?;
    Ok(ExitCode::SUCCESS)
}

async fn serve(
    config: &Config,
    ops: Arc<Ops>,
    listener: TcpListener,
    address: SocketAddr,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let first_password = make_first_user(&ops).await?;
    ops.do_housekeeping().await.context("the first look at the database failed")?;
    let everybody_is =
        if config.auth.enabled { None } else { Some(ops.development_caller(FIRST_USER).await?) };
    let limits = &config.limits;
    let settings = ApiSettings {
        rate_limit_per_second: limits.rate_limit_per_second,
        rate_limit_burst: limits.rate_limit_burst,
        request_timeout: limits.request_timeout,
        max_json_bytes: limits.json_max_bytes,
        everybody_is,
    };
    let router = api::router(&Api::new(Arc::clone(&ops), settings));
    let housekeeping = tokio::spawn({
        let (ops, stop) = (Arc::clone(&ops), stop.clone());
        async move { ops.keep_house(stop).await }
    });
    announce(config, address, first_password.as_deref());
    api::serve(listener, router, stop, config.shutdown_grace).await;
    housekeeping.await.context("housekeeping ended badly")?;
    tracing::info!("stopped");
    Ok(())
}

async fn listen(address: SocketAddr) -> Result<TcpListener, ListenError> {
    TcpListener::bind(address).await.map_err(|source| match source.kind() {
        io::ErrorKind::AddrInUse => ListenError::InUse(address),
        _ => ListenError::Refused { address, source },
    })
}

/// On the first start, somebody must be able to sign in; returns a password that was made up.
async fn make_first_user(ops: &Ops) -> anyhow::Result<Option<String>> {
    let chosen = passwords::choose(ops.random().as_ref());
    let first = ops.first_start(FIRST_USER, &chosen.password).await;
    let first = first.context("DOCKET_ADMIN_PASSWORD cannot be the first password")?;
    let must_be_shown = matches!(first, FirstStart::Created(_)) && chosen.made_here;
    Ok(must_be_shown.then_some(chosen.password))
}

fn announce(config: &Config, address: SocketAddr, first_password: Option<&str>) {
    say(format_args!("Docket is ready at http://{address}"));
    say(format_args!("  data folder  {}", config.data_dir.display()));
    say(format_args!("  API          http://{address}/docs/"));
    if let Some(password) = first_password {
        say(format_args!("  sign in as   {FIRST_USER}"));
        say(format_args!("  password     {password}   (shown this once; keep it)"));
    }
    if !config.auth.enabled {
        say("  authentication is OFF: everybody who reaches this address is the administrator");
    }
    tracing::info!(%address, "ready");
}

/// The first signal stops in good order, the second at once.
fn stop_on_signal(stop: CancellationToken) -> anyhow::Result<()> {
    let mut terminate = signal(SignalKind::terminate()).context("cannot listen for SIGTERM")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot listen for SIGINT")?;
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            if stop.is_cancelled() {
                std::process::exit(130);
            }
            tracing::info!("stopping; a second signal stops at once");
            stop.cancel();
        }
    });
    Ok(())
}
