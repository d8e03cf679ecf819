//! Logs one line for each run that has ended.
//!
//! The stages of a run may have run in several processes, so the times are read from the database, after the outcome is
//! committed and in a task that nothing waits for.

use domain::JobId;
use store::{EndedRun, Outcome, Report, Store, StoreError};

/// Logs the runs that these reports ended; `accepted` says which reports the store accepted.
pub(crate) fn log(store: &Store, reports: &[Report], accepted: &[bool]) {
    let jobs: Vec<JobId> = reports
        .iter()
        .zip(accepted)
        .filter(|(report, accepted)| **accepted && may_end_run(&report.outcome))
        .map(|(report, _)| report.lease.job_id)
        .collect();
    if jobs.is_empty() || !tracing::enabled!(tracing::Level::INFO) {
        return;
    }
    let store = store.clone();
    tokio::spawn(async move {
        match read(&store, &jobs).await {
            Ok(runs) => runs.iter().for_each(write),
            Err(error) => {
                tracing::debug!(
                    error = &error as &dyn std::error::Error,
                    "ended runs were not read"
                );
            }
        }
    });
}

fn may_end_run(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Succeeded { next: None, .. } | Outcome::Failed { .. })
}

async fn read(store: &Store, jobs: &[JobId]) -> Result<Vec<EndedRun>, StoreError> {
    let mut across = store.queue_transaction().await?;
    let runs = across.ended_runs(jobs).await?;
    across.commit().await?;
    Ok(runs)
}

fn write(run: &EndedRun) {
    tracing::info!(
        event = "ingest_job_complete",
        run_id = %run.run_id,
        tenant_id = %run.tenant_id,
        doc_id = %run.doc_id,
        status = run.status,
        chunks_created = run.chunks_created,
        tokens_total = run.tokens_total,
        duration_ms = run.duration_ms,
        queue_wait_ms = run.queue_wait_ms,
        stages = %run.stages,
        "a run ended"
    );
}
