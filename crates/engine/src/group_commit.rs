//! Reports of many tasks in few transactions.
//!
//! There is no timer to gather more: while commits are under way the next batch gathers by itself.
//! A second one is begun beside the first, on a connection of its own, only when much waits: PostgreSQL
//! does the work of one connection on one core, but many small commits would be in each other's way.
//! Those that only wait for the disk any more keep nobody from beginning.

use std::sync::Arc;
use std::time::Duration;

use domain::{Backoff, Clock};
use store::{Held, Lease, Next, Outcome, Report, Store, StoreError};
use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::task::{JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

use crate::decide::unrecordable;
use crate::ended_runs;
use crate::supervision::WorkerHealth;

/// The most reports in one transaction.
const BATCH: usize = 256;
/// The most transactions that are written at once, and the most with those that are being committed.
const WRITTEN_AT_ONCE: usize = 2;
const AT_ONCE: usize = 4;
/// So many must wait for another transaction to be worth it.
const MANY: usize = BATCH / 4;
const BACKOFF: Backoff =
    Backoff { first: Duration::from_millis(50), longest: Duration::from_secs(2) };

struct Request {
    report: Report,
    answer: oneshot::Sender<bool>,
}

/// Where tasks hand their reports in.
#[derive(Clone, Debug)]
pub(crate) struct GroupCommitter {
    requests: mpsc::UnboundedSender<Request>,
}

impl GroupCommitter {
    /// Works until `closing` fires; what waits then is dropped, and with it its lease runs out.
    pub(crate) fn start(
        store: Store,
        clock: Arc<dyn Clock>,
        health: WorkerHealth,
        closing: CancellationToken,
    ) -> Self {
        let (requests, waiting) = mpsc::unbounded_channel();
        // What waits must outlive a panic.
        let waiting = Arc::new(Mutex::new(waiting));
        tokio::spawn(async move {
            let commit = || {
                let (store, clock, waiting) = (store.clone(), clock.clone(), waiting.clone());
                async move { commit_all(store, clock, &mut *waiting.lock().await).await }
            };
            tokio::select! {
                () = closing.cancelled() => {}
                () = health.supervise("committing", clock.as_ref(), &closing, commit) => {}
            }
        });
        Self { requests }
    }

    /// `true` when the report counted; `false` when the lease was not ours any more.
    pub(crate) async fn settle(&self, report: Report) -> bool {
        let (answer, answered) = oneshot::channel();
        if self.requests.send(Request { report, answer }).is_err() {
            return false;
        }
        answered.await.unwrap_or(false)
    }
}

/// Held while a transaction is written.
type Turn = OwnedSemaphorePermit;

/// Dropped, it drops what is under way too.
async fn commit_all(store: Store, clock: Arc<dyn Clock>, waiting: &mut UnboundedReceiver<Request>) {
    let turns = Arc::new(Semaphore::new(WRITTEN_AT_ONCE));
    let mut under_way = JoinSet::new();
    while let Ok(turn) = Arc::clone(&turns).acquire_owned().await
        && let Some(batch) = gather(waiting).await
    {
        let (store, clock) = (store.clone(), Arc::clone(&clock));
        under_way.spawn(async move { commit_batch(&store, clock.as_ref(), batch, turn).await });
        while let Some(ended) = under_way.try_join_next() {
            tell_of_panic(&ended);
        }
        if (under_way.len() == AT_ONCE || waiting.len() < MANY)
            && let Some(ended) = under_way.join_next().await
        {
            tell_of_panic(&ended);
        }
    }
    while under_way.join_next().await.is_some() {}
}

fn tell_of_panic(ended: &Result<(), JoinError>) {
    if ended.is_err() {
        tracing::error!("a commit ended in a panic: its leases run out");
    }
}

/// Whatever waits; `None` when nobody can report any more.
async fn gather(waiting: &mut UnboundedReceiver<Request>) -> Option<Vec<Request>> {
    let mut batch = vec![waiting.recv().await?];
    // Tasks that were begun together end together: let those report that are about to.
    tokio::task::yield_now().await;
    while batch.len() < BATCH
        && let Ok(request) = waiting.try_recv()
    {
        batch.push(request);
    }
    Some(batch)
}

/// A task that was dropped meanwhile waits for no answer.
fn tell(answer: oneshot::Sender<bool>, counted: bool) {
    answer.send(counted).ok();
}

async fn commit_batch(store: &Store, clock: &dyn Clock, batch: Vec<Request>, turn: Turn) {
    let reports: Vec<Report> = batch.iter().map(|request| request.report.clone()).collect();
    if let Ok(counted) = commit_patiently(store, clock, &reports, Some(turn)).await {
        ended_runs::log(store, &reports, &counted);
        for (request, counted) in batch.into_iter().zip(counted) {
            tell(request.answer, counted);
        }
        return;
    }
    // One of them is not acceptable: it must not take the others down.
    for request in batch {
        let report = request.report.clone();
        let counted = commit_alone(store, clock, request.report).await;
        ended_runs::log(store, &[report], &[counted]);
        tell(request.answer, counted);
    }
}

async fn commit_alone(store: &Store, clock: &dyn Clock, report: Report) -> bool {
    let held = report.held;
    let error = match commit_patiently(store, clock, &[report], None).await {
        Ok(counted) => return counted == [true],
        Err(error) => error,
    };
    tracing::error!(job_id = %held.job_id, error = &error as &dyn std::error::Error, "an outcome was refused");
    let failure = unrecordable(&error.to_string());
    let instead = Report { held, outcome: Outcome::GivenUp { failure } };
    // Given up: the run goes on with no stage, so the answer is that the success did not count.
    if let Err(error) = commit_patiently(store, clock, &[instead], None).await {
        tracing::error!(job_id = %held.job_id, error = &error as &dyn std::error::Error, "and so was giving up");
    }
    false
}

/// Tries again for as long as the database is away; fails only when it refuses.
async fn commit_patiently(
    store: &Store,
    clock: &dyn Clock,
    reports: &[Report],
    mut turn: Option<Turn>,
) -> Result<Vec<bool>, StoreError> {
    let mut failures = 0;
    loop {
        let tried = match commit_once(store, clock, reports, turn.take()).await {
            Ok(counted) if failures > 0 => resolve_doubt(store, clock, reports, counted).await,
            other => other,
        };
        match tried {
            Err(error) if error.is_unavailable() => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "reports wait for the database"
                );
                failures += 1;
                tokio::time::sleep(BACKOFF.after(failures)).await;
            }
            other => return other,
        }
    }
}

async fn commit_once(
    store: &Store,
    clock: &dyn Clock,
    reports: &[Report],
    turn: Option<Turn>,
) -> Result<Vec<bool>, StoreError> {
    let mut across = store.on_the_queue().await?;
    let counted = across.settle_jobs(reports, clock.now()).await?;
    drop(turn);
    across.commit().await?;
    Ok(reports.iter().map(|report| counted.contains(&report.held)).collect())
}

/// The connection may have broken after the commit: then the report counted the first time and not
/// the second. Where a next job was leased to us, holding that lease is the proof.
async fn resolve_doubt(
    store: &Store,
    clock: &dyn Clock,
    reports: &[Report],
    mut counted: Vec<bool>,
) -> Result<Vec<bool>, StoreError> {
    let now = clock.now();
    for (report, counted) in reports.iter().zip(&mut counted) {
        if let (false, Some((held, until))) = (*counted, next_lease(&report.outcome)) {
            let mut across = store.on_the_queue().await?;
            *counted = across.prolong_leases(&[(held, until)], now).await?.is_empty();
            across.commit().await?;
        }
    }
    Ok(counted)
}

fn next_lease(outcome: &Outcome) -> Option<(Held, chrono::DateTime<chrono::Utc>)> {
    match outcome {
        Outcome::Succeeded {
            next: Some(Next { job_id, lease: Some(Lease { token, until }), .. }),
            ..
        } => Some((Held { job_id: *job_id, token: *token }, *until)),
        _ => None,
    }
}
