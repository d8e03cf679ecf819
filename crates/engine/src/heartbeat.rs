//! Renews the leases of all running jobs, from a dedicated thread.
//!
//! A stage may keep every thread of the runtime busy, which would stop a timer in that runtime. So the heartbeat has
//! its own thread, runtime and connections, and shares only the list of leases with the rest.

use std::io;
use std::thread;
use std::time::Duration;

use domain::Clock;
use std::sync::Arc;
use store::{LeaseRef, ProgressReport, Store, StoreError};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use crate::held_leases::HeldLeases;
use crate::supervision::WorkerHealth;

/// Sends heartbeats until it is stopped or dropped.
#[derive(Debug)]
pub(crate) struct HeartbeatThread {
    stop: CancellationToken,
    thread: Option<thread::JoinHandle<()>>,
}

impl HeartbeatThread {
    pub(crate) fn start(
        store: Store,
        clock: Arc<dyn Clock>,
        leases: HeldLeases,
        every: Duration,
        health: WorkerHealth,
    ) -> io::Result<Self> {
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let thread = thread::Builder::new().name("heartbeat".to_owned()).spawn(move || {
            runtime.block_on(async {
                let store = store.with_own_connections(2);
                let clock = clock.as_ref();
                let heartbeats = || async {
                    tokio::select! {
                        () = stopped.cancelled() => {}
                        () = send_heartbeats(&store, clock, &leases, every) => {}
                        () = report_progress(&store, clock, &leases) => {}
                    }
                };
                health.supervise("heartbeats", clock, &stopped, heartbeats).await;
                store.close().await;
            });
        })?;
        Ok(Self { stop, thread: Some(thread) })
    }

    pub(crate) async fn stop(mut self) {
        self.stop.cancel();
        if let Some(thread) = self.thread.take() {
            let joined = tokio::task::spawn_blocking(move || thread.join()).await;
            if !matches!(joined, Ok(Ok(()))) {
                tracing::error!("the heartbeat thread ended in a panic");
            }
        }
    }
}

impl Drop for HeartbeatThread {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

async fn send_heartbeats(store: &Store, clock: &dyn Clock, leases: &HeldLeases, every: Duration) {
    let mut ticks = tokio::time::interval(every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let held = leases.all();
        if held.is_empty() {
            continue;
        }
        match renew(store, clock, &held).await {
            Ok(lost) => lost.into_iter().for_each(|lease| {
                if leases.lose(lease) {
                    tracing::warn!(job_id = %lease.job_id, "the lease is lost: the result of the job is dropped");
                }
            }),
            Err(error) => {
                tracing::warn!(error = &error as &dyn std::error::Error, "a heartbeat failed");
                ticks.reset_after(every / 10);
            }
        }
    }
}

/// Writes the progress of the stages to the database when it has changed.
async fn report_progress(store: &Store, clock: &dyn Clock, leases: &HeldLeases) {
    const EVERY: Duration = Duration::from_secs(1);
    let mut ticks = tokio::time::interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let changed = leases.changed_progress();
        if changed.is_empty() {
            continue;
        }
        // A report that got lost does not matter: the next step of the stage is reported again.
        if let Err(error) = write_progress(store, clock, &changed).await {
            tracing::debug!(error = &error as &dyn std::error::Error, "progress was not recorded");
        }
    }
}

async fn write_progress(
    store: &Store,
    clock: &dyn Clock,
    reports: &[ProgressReport],
) -> Result<(), StoreError> {
    let mut across = store.queue_transaction().await?;
    across.record_progress(reports, clock.now()).await?;
    across.commit().await
}

/// Renews all leases in one statement; returns those that are lost.
async fn renew(
    store: &Store,
    clock: &dyn Clock,
    held: &[(LeaseRef, Duration)],
) -> Result<Vec<LeaseRef>, StoreError> {
    let now = clock.now();
    let until: Vec<_> = held.iter().map(|(held, length)| (*held, now + *length)).collect();
    let mut across = store.queue_transaction().await?;
    let lost = across.renew_leases(&until, now).await?;
    across.commit().await?;
    Ok(lost)
}
