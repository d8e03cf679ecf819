//! Group commit: writes the reports of many tasks in few transactions.
//!
//! There is no timer: while a transaction is in flight, the reports of the next one collect in the channel. A second
//! transaction starts beside the first, on another connection, only when many reports wait: PostgreSQL uses one core
//! per connection, but many small transactions would compete for the same locks. A transaction that only waits for its
//! commit to reach the disk does not count as writing.

use std::sync::Arc;
use std::time::Duration;

use domain::{Backoff, Clock};
use store::{Lease, LeaseRef, NextJob, Outcome, Report, Store, StoreError};
use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::task::{JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

use crate::ended_runs;
use crate::failure_outcome::unrecordable;
use crate::supervision::WorkerHealth;

/// The most reports in one transaction.
const MAX_BATCH: usize = 256;
/// The most transactions that execute statements at once, and the most with those that wait for their commit.
const MAX_WRITING: usize = 2;
const MAX_IN_FLIGHT: usize = 4;
/// How many reports must wait before another transaction starts.
const ANOTHER_AT: usize = MAX_BATCH / 4;
const BACKOFF: Backoff =
    Backoff { first: Duration::from_millis(50), longest: Duration::from_secs(2) };

struct Request {
    report: Report,
    answer: oneshot::Sender<bool>,
}

/// Takes the reports of tasks.
#[derive(Clone, Debug)]
pub(crate) struct GroupCommitter {
    requests: mpsc::UnboundedSender<Request>,
}

impl GroupCommitter {
    /// Works until `closing` fires. Reports that wait then are dropped, and their leases expire.
    pub(crate) fn start(
        store: Store,
        clock: Arc<dyn Clock>,
        health: WorkerHealth,
        closing: CancellationToken,
    ) -> Self {
        let (requests, waiting) = mpsc::unbounded_channel();
        // Waiting reports must survive a panic of the commit loop.
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

    /// `true` when the store accepted the report; `false` when the worker no longer held the lease.
    pub(crate) async fn settle(&self, report: Report) -> bool {
        let (answer, answered) = oneshot::channel();
        if self.requests.send(Request { report, answer }).is_err() {
            return false;
        }
        answered.await.unwrap_or(false)
    }
}

/// Held while the statements of a transaction run.
type WritePermit = OwnedSemaphorePermit;

/// Dropping the future drops the transactions in flight.
async fn commit_all(store: Store, clock: Arc<dyn Clock>, waiting: &mut UnboundedReceiver<Request>) {
    let write_permits = Arc::new(Semaphore::new(MAX_WRITING));
    let mut in_flight = JoinSet::new();
    while let Ok(permit) = Arc::clone(&write_permits).acquire_owned().await
        && let Some(batch) = gather(waiting).await
    {
        let (store, clock) = (store.clone(), Arc::clone(&clock));
        in_flight.spawn(async move { commit_batch(&store, clock.as_ref(), batch, permit).await });
        while let Some(ended) = in_flight.try_join_next() {
            log_panic(&ended);
        }
        if (in_flight.len() == MAX_IN_FLIGHT || waiting.len() < ANOTHER_AT)
            && let Some(ended) = in_flight.join_next().await
        {
            log_panic(&ended);
        }
    }
    while in_flight.join_next().await.is_some() {}
}

fn log_panic(ended: &Result<(), JoinError>) {
    if ended.is_err() {
        tracing::error!("a commit panicked: the leases of its jobs expire");
    }
}

/// All waiting requests, up to a full batch; `None` when the channel is closed.
async fn gather(waiting: &mut UnboundedReceiver<Request>) -> Option<Vec<Request>> {
    let mut batch = vec![waiting.recv().await?];
    // Yield once so that tasks which are about to end can report too.
    tokio::task::yield_now().await;
    while batch.len() < MAX_BATCH
        && let Ok(request) = waiting.try_recv()
    {
        batch.push(request);
    }
    Some(batch)
}

/// The receiver is gone when its task was dropped.
fn send_answer(answer: oneshot::Sender<bool>, accepted: bool) {
    answer.send(accepted).ok();
}

async fn commit_batch(store: &Store, clock: &dyn Clock, batch: Vec<Request>, permit: WritePermit) {
    let reports: Vec<Report> = batch.iter().map(|request| request.report.clone()).collect();
    if let Ok(accepted) = commit_with_retries(store, clock, &reports, Some(permit)).await {
        ended_runs::log(store, &reports, &accepted);
        for (request, accepted) in batch.into_iter().zip(accepted) {
            send_answer(request.answer, accepted);
        }
        return;
    }
    // The database refuses one of the reports, which must not affect the others.
    for request in batch {
        let report = request.report.clone();
        let accepted = commit_alone(store, clock, request.report).await;
        ended_runs::log(store, &[report], &[accepted]);
        send_answer(request.answer, accepted);
    }
}

async fn commit_alone(store: &Store, clock: &dyn Clock, report: Report) -> bool {
    let lease = report.lease;
    let error = match commit_with_retries(store, clock, &[report], None).await {
        Ok(accepted) => return accepted == [true],
        Err(error) => error,
    };
    tracing::error!(job_id = %lease.job_id, error = &error as &dyn std::error::Error, "the database refused an outcome");
    let failure = unrecordable(&error.to_string());
    let instead = Report { lease, outcome: Outcome::Failed { failure } };
    // The job is dead and its run does not continue, so the answer is that the success was not accepted.
    if let Err(error) = commit_with_retries(store, clock, &[instead], None).await {
        tracing::error!(job_id = %lease.job_id, error = &error as &dyn std::error::Error, "the database refused the failure of the job as well");
    }
    false
}

/// Retries while the database is unavailable; fails only when it refuses.
async fn commit_with_retries(
    store: &Store,
    clock: &dyn Clock,
    reports: &[Report],
    mut permit: Option<WritePermit>,
) -> Result<Vec<bool>, StoreError> {
    let mut failures = 0;
    loop {
        let tried = match commit_once(store, clock, reports, permit.take()).await {
            Ok(accepted) if failures > 0 => {
                resolve_unknown_commits(store, clock, reports, accepted).await
            }
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
    permit: Option<WritePermit>,
) -> Result<Vec<bool>, StoreError> {
    let mut across = store.queue_transaction().await?;
    let accepted = across.settle_jobs(reports, clock.now()).await?;
    drop(permit);
    across.commit().await?;
    Ok(reports.iter().map(|report| accepted.contains(&report.lease)).collect())
}

/// The connection may have broken after the commit: then the store accepted the report the first time and not the
/// second. A worker that holds the lease of the next job knows that the first commit succeeded.
async fn resolve_unknown_commits(
    store: &Store,
    clock: &dyn Clock,
    reports: &[Report],
    mut accepted: Vec<bool>,
) -> Result<Vec<bool>, StoreError> {
    let now = clock.now();
    for (report, accepted) in reports.iter().zip(&mut accepted) {
        if let (false, Some((held, until))) = (*accepted, next_lease(&report.outcome)) {
            let mut across = store.queue_transaction().await?;
            *accepted = across.renew_leases(&[(held, until)], now).await?.is_empty();
            across.commit().await?;
        }
    }
    Ok(accepted)
}

fn next_lease(outcome: &Outcome) -> Option<(LeaseRef, chrono::DateTime<chrono::Utc>)> {
    match outcome {
        Outcome::Succeeded {
            next: Some(NextJob { job_id, lease: Some(Lease { token, until }), .. }),
            ..
        } => Some((LeaseRef { job_id: *job_id, token: *token }, *until)),
        _ => None,
    }
}
