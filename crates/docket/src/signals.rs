//! Signals that stop the process.

use std::io;

use anyhow::Context;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::logging;

/// SIGTERM, SIGINT (Ctrl-C) and SIGHUP (the terminal was closed).
#[derive(Debug)]
pub struct StopSignals {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
}

impl StopSignals {
    /// From now on none of them ends the process on its own.
    pub fn listen() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    pub async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
            _ = self.hang_up.recv() => {}
        }
    }
}

/// Is cancelled by the first signal, for an orderly shutdown; the second signal ends the process at once.
pub(crate) fn stop_on_signal() -> anyhow::Result<CancellationToken> {
    let mut signals = StopSignals::listen().context("cannot listen for signals")?;
    let stop = CancellationToken::new();
    let fires = stop.clone();
    tokio::spawn(async move {
        signals.next().await;
        tracing::info!("stopping; a second signal stops at once");
        fires.cancel();
        signals.next().await;
        logging::finish();
        std::process::exit(130);
    });
    Ok(stop)
}
