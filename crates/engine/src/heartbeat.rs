//! Prolongs the leases of all jobs under way, from a thread of its own.
//!
//! A stage that keeps every thread of the runtime busy would otherwise hold up the very timer that
//! tells the others it is alive. So the heartbeat has its own thread, its own runtime and its own
//! connection, and shares with the rest only the list of leases.

use std::io;
use std::thread;
use std::time::Duration;

use domain::Clock;
use std::sync::Arc;
use store::{Held, Store, StoreError, Told};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use crate::held_leases::HeldLeases;
use crate::supervision::WorkerHealth;

/// Beats until it is stopped or dropped.
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
                let beating = || async {
                    tokio::select! {
                        () = stopped.cancelled() => {}
                        () = beat(&store, clock, &leases, every) => {}
                        () = tell(&store, clock, &leases) => {}
                    }
                };
                health.supervise("heartbeats", clock, &stopped, beating).await;
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

async fn beat(store: &Store, clock: &dyn Clock, leases: &HeldLeases, every: Duration) {
    let mut ticks = tokio::time::interval(every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let held = leases.all();
        if held.is_empty() {
            continue;
        }
        match prolong(store, clock, &held).await {
            Ok(lost) => lost.into_iter().for_each(|held| {
                if leases.lose(held) {
                    tracing::warn!(job_id = %held.job_id, "the lease is lost: its result is dropped");
                }
            }),
            Err(error) => {
                tracing::warn!(error = &error as &dyn std::error::Error, "a heartbeat failed");
                ticks.reset_after(every / 10);
            }
        }
    }
}

/// Passes on how far the stages are, when there is anything new.
async fn tell(store: &Store, clock: &dyn Clock, leases: &HeldLeases) {
    const EVERY: Duration = Duration::from_secs(1);
    let mut ticks = tokio::time::interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let news = leases.news();
        if news.is_empty() {
            continue;
        }
        // What got lost is told again with the next step.
        if let Err(error) = tell_once(store, clock, &news).await {
            tracing::debug!(error = &error as &dyn std::error::Error, "progress was not told");
        }
    }
}

async fn tell_once(store: &Store, clock: &dyn Clock, news: &[Told]) -> Result<(), StoreError> {
    let mut across = store.on_the_queue().await?;
    across.tell_progress(news, clock.now()).await?;
    across.commit().await
}

/// One statement for all; returns the leases that are lost.
async fn prolong(
    store: &Store,
    clock: &dyn Clock,
    held: &[(Held, Duration)],
) -> Result<Vec<Held>, StoreError> {
    let now = clock.now();
    let until: Vec<_> = held.iter().map(|(held, length)| (*held, now + *length)).collect();
    let mut across = store.on_the_queue().await?;
    let lost = across.prolong_leases(&until, now).await?;
    across.commit().await?;
    Ok(lost)
}
