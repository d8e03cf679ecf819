//! The address that a process listens on, and its metrics.

use std::io;
use std::net::SocketAddr;

use anyhow::Context;
use api::Metrics;
use metrics_exporter_prometheus::PrometheusBuilder;
use thiserror::Error;
use tokio::net::TcpListener;

use crate::config::LimitsConfig;
use crate::logging;

#[derive(Debug, Error)]
pub(crate) enum ListenError {
    #[error(
        "{address} is in use by another program. Stop that one, or choose another address with \
         {flag}, for example {flag} 127.0.0.1:0 for any free port"
    )]
    InUse { address: SocketAddr, flag: &'static str },
    #[error("cannot listen on {address}: {source}. Choose another address with {flag}")]
    Refused { address: SocketAddr, flag: &'static str, source: io::Error },
}

/// `flag` is the option that sets the address.
pub(crate) async fn listen(
    address: SocketAddr,
    flag: &'static str,
) -> Result<TcpListener, ListenError> {
    TcpListener::bind(address).await.map_err(|source| match source.kind() {
        io::ErrorKind::AddrInUse => ListenError::InUse { address, flag },
        _ => ListenError::Refused { address, flag, source },
    })
}

/// Installs the process-wide recorder of metrics.
pub(crate) fn install_metrics(limits: &LimitsConfig) -> anyhow::Result<Metrics> {
    let seconds = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 120.0, 600.0];
    let recorder = PrometheusBuilder::new()
        .set_buckets(&seconds)
        .and_then(PrometheusBuilder::install_recorder)
        .context("the metrics recorder cannot be installed")?;
    logging::count_dropped_lines();
    let metrics = Metrics::new(limits.metrics_for_everybody, move || recorder.render());
    Ok(metrics.with_token(limits.metrics_token.clone()).behind(limits.trusted_proxies.clone()))
}
