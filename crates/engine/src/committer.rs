//! Reports of many tasks in few transactions.
//!
//! There is no delay to gather more: while one commit is under way the next batch gathers by itself.

use std::sync::Arc;
use std::time::Duration;

use domain::Clock;
use store::{Held, Lease, Next, Outcome, Report, Store, StoreError};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::decide::unrecordable;

/// The most reports in one transaction.
const BATCH: usize = 256;
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

struct Request {
    report: Report,
    answer: oneshot::Sender<bool>,
}

/// Where tasks hand their reports in.
#[derive(Clone, Debug)]
pub(crate) struct Committer {
    requests: mpsc::UnboundedSender<Request>,
}

impl Committer {
    /// Works until `closing` fires; what waits then is dropped, and with it its lease runs out.
    pub(crate) fn start(store: Store, clock: Arc<dyn Clock>, closing: CancellationToken) -> Self {
        let (requests, mut waiting) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            let work = async {
                let mut batch = Vec::with_capacity(BATCH);
                while waiting.recv_many(&mut batch, BATCH).await > 0 {
                    commit_batch(&store, clock.as_ref(), &mut batch).await;
                }
            };
            tokio::select! {
                () = closing.cancelled() => {}
                () = work => {}
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

/// A task that was dropped meanwhile waits for no answer.
fn tell(answer: oneshot::Sender<bool>, counted: bool) {
    answer.send(counted).ok();
}

async fn commit_batch(store: &Store, clock: &dyn Clock, batch: &mut Vec<Request>) {
    let reports: Vec<Report> = batch.iter().map(|request| request.report.clone()).collect();
    if let Ok(counted) = commit_patiently(store, clock, &reports).await {
        for (request, counted) in batch.drain(..).zip(counted) {
            tell(request.answer, counted);
        }
        return;
    }
    // One of them is not acceptable: it must not take the others down.
    for request in batch.drain(..) {
        let counted = commit_alone(store, clock, request.report).await;
        tell(request.answer, counted);
    }
}

async fn commit_alone(store: &Store, clock: &dyn Clock, report: Report) -> bool {
    let held = report.held;
    let error = match commit_patiently(store, clock, &[report]).await {
        Ok(counted) => return counted == [true],
        Err(error) => error,
    };
    tracing::error!(job_id = %held.job_id, error = &error as &dyn std::error::Error, "an outcome was refused");
    let failure = unrecordable(&error.to_string());
    let instead = Report { held, outcome: Outcome::GivenUp { failure } };
    // Given up: the run goes on with no stage, so the answer is that the success did not count.
    if let Err(error) = commit_patiently(store, clock, &[instead]).await {
        tracing::error!(job_id = %held.job_id, error = &error as &dyn std::error::Error, "and so was giving up");
    }
    false
}

/// Tries again for as long as the database is away; fails only when it refuses.
async fn commit_patiently(
    store: &Store,
    clock: &dyn Clock,
    reports: &[Report],
) -> Result<Vec<bool>, StoreError> {
    let mut pause = FIRST_PAUSE;
    let mut in_doubt = false;
    loop {
        let tried = match commit_once(store, clock, reports).await {
            Ok(counted) if in_doubt => resolve_doubt(store, clock, reports, counted).await,
            other => other,
        };
        match tried {
            Err(error) if error.is_unavailable() => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "reports wait for the database"
                );
                in_doubt = true;
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
            other => return other,
        }
    }
}

async fn commit_once(
    store: &Store,
    clock: &dyn Clock,
    reports: &[Report],
) -> Result<Vec<bool>, StoreError> {
    let mut across = store.on_the_queue().await?;
    let counted = across.settle_jobs(reports, clock.now()).await?;
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
