//! The SQL changes a job, in every state and for every event, as `JobState::apply` says.

use chrono::Duration;
use domain::{Dependency, Failure, JobEvent, JobId, JobState, LeaseToken, RunId, TenantId};
use store::{LeaseRef, Outcome, StaleBefore};

use crate::harness::{Harness, LEASE, lease_of, succeeded};

struct Case {
    tenant: TenantId,
    run_id: RunId,
    job_id: JobId,
    stage: String,
    /// The last lease.
    lease: LeaseRef,
}

/// A job that reached the state by the ordinary calls.
async fn job_in(harness: &Harness, state: JobState, name: &str) -> Case {
    let tenant = harness.tenant(name).await;
    let run = harness.submit(tenant, &[name]).await;
    let nobody = LeaseRef { job_id: run.job_id, token: LeaseToken(harness.ids.next()) };
    let (run_id, job_id) = (run.run_id, run.job_id);
    let mut job = Case { tenant, run_id, job_id, stage: name.to_owned(), lease: nobody };
    if state != JobState::Pending {
        job.lease = lease_of(&harness.claim_one("w", name).await);
    }
    if state == JobState::Completed {
        assert!(harness.settle(job.lease, succeeded(None)).await);
    }
    if state == JobState::Dead {
        assert!(harness.settle(job.lease, failed()).await);
    }
    job
}

fn failed() -> Outcome {
    Outcome::Failed { failure: Failure::permanent("torn", "scan it again") }
}

async fn trigger(harness: &Harness, job: &Case, event: JobEvent) {
    let not_before = harness.now();
    match event {
        JobEvent::Claimed => drop(harness.claim("other", &job.stage, 1).await),
        JobEvent::Succeeded => drop(harness.settle(job.lease, succeeded(None)).await),
        JobEvent::RetryScheduled => {
            let failure = Failure::retry("busy");
            harness.settle(job.lease, Outcome::RetryScheduled { failure, not_before }).await;
        }
        JobEvent::Paused => {
            let dependency = Dependency::ObjectStore;
            let failure = Failure::unavailable(dependency, "away");
            harness.settle(job.lease, Outcome::Paused { failure, dependency, not_before }).await;
        }
        JobEvent::Failed => drop(harness.settle(job.lease, failed()).await),
        JobEvent::Released => drop(harness.settle(job.lease, Outcome::Released).await),
        JobEvent::Expired => {
            harness.clock.advance(LEASE + Duration::seconds(1));
            harness.expire_leases(100).await;
        }
        JobEvent::ExpiryLimitReached => {
            harness.clock.advance(LEASE + Duration::seconds(1));
            harness.expire_leases(1).await;
        }
        JobEvent::Retried => drop(harness.retry(job.tenant, job.job_id).await),
        JobEvent::Cancelled => drop(harness.cancel(job.tenant, job.run_id).await),
        JobEvent::Recreated => recreate(harness, job).await,
    }
}

/// The run is running according to its row, no stage of it has succeeded, and it was not updated for long.
async fn recreate(harness: &Harness, job: &Case) {
    let mut superuser = harness.database.superuser().await;
    let long_ago = harness.now() - Duration::hours(2);
    sqlx::query("UPDATE ingestion_runs SET status = 'running', updated_at = $2 WHERE run_id = $1")
        .bind(job.run_id.0)
        .bind(long_ago)
        .execute(&mut superuser)
        .await
        .unwrap();
    sqlx::query("DELETE FROM stages WHERE run_id = $1")
        .bind(job.run_id.0)
        .execute(&mut superuser)
        .await
        .unwrap();
    let stale = harness.now() - Duration::hours(1);
    let mut across = harness.store.across_tenants().await.unwrap();
    let stale = StaleBefore { queued: stale, running: stale };
    across.take_over_stale_runs(stale, harness.now(), 100).await.unwrap();
    across.commit().await.unwrap();
}

#[tokio::test]
async fn the_sql_makes_the_transitions_of_the_state_machine_and_no_others() {
    let harness = Harness::open().await;
    for (row, event) in JobEvent::ALL.into_iter().enumerate() {
        for (column, state) in JobState::ALL.into_iter().enumerate() {
            let job = job_in(&harness, state, &format!("stage_{row}_{column}")).await;
            trigger(&harness, &job, event).await;
            let after = harness.job(job.tenant, job.job_id).await.status;
            assert_eq!(after, state.apply(event).unwrap_or(state), "{state}, {event:?}");
        }
    }
}
