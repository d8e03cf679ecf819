//! A database with tenants, and short forms of the queue's calls.

use std::sync::Arc;

use chrono::{DateTime, Duration, Utc};
use domain::{
    Action, Artifact, ArtifactEntry, Caller, Clock, DocId, Failure, IdGen, JobId, LeaseToken,
    Pipeline, RunConfig, RunId, RunType, Scope, StageOutput, Tenant, TenantId,
};
use serde_json::Value;
use sqlx::PgConnection;
use sqlx::postgres::PgRow;
use store::{
    ClaimedJob, JobClaim, JobRecord, Lease, LeaseRef, NewRun, NextJob, Outcome, Report, StageSlots,
    Store,
};
use testkit::{FakeClock, TestDatabase, fake_environment};

pub(crate) const LEASE: Duration = Duration::seconds(15);

pub(crate) struct Harness {
    pub(crate) database: TestDatabase,
    pub(crate) clock: Arc<FakeClock>,
    pub(crate) store: Store,
    pub(crate) ids: Arc<dyn IdGen>,
}

pub(crate) fn pipeline(stages: &[&str]) -> Pipeline {
    let stages: Vec<_> = stages.iter().map(|stage| stage.parse().unwrap()).collect();
    stages.try_into().unwrap()
}

pub(crate) fn lease_of(job: &ClaimedJob) -> LeaseRef {
    LeaseRef { job_id: job.job_id, token: job.token }
}

/// An artifact without content.
pub(crate) fn named(name: &str) -> Artifact {
    Artifact::Other(ArtifactEntry { name: name.to_owned(), ..ArtifactEntry::default() })
}

pub(crate) fn succeeded(next: Option<NextJob>) -> Outcome {
    let artifacts = vec![named("a")];
    let output = StageOutput { artifacts, ..StageOutput::default() };
    Outcome::Succeeded { output: Arc::new(output), next }
}

impl Harness {
    pub(crate) async fn open() -> Self {
        let database = TestDatabase::create().await;
        let clock = Arc::new(FakeClock::default());
        let environment = fake_environment(&clock);
        let store = database.store(environment.clock, environment.ids.clone()).await;
        Self { database, clock, store, ids: environment.ids }
    }

    pub(crate) fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    pub(crate) async fn tenant(&self, name: &str) -> TenantId {
        let tenant_id = TenantId(self.ids.next());
        let tenant = Tenant { tenant_id, name: name.to_owned(), created_at: self.now() };
        let mut across = self.store.across_tenants().await.unwrap();
        assert!(across.insert_tenant(&tenant).await.unwrap());
        across.commit().await.unwrap();
        tenant_id
    }

    pub(crate) fn scope(tenant_id: TenantId) -> Scope {
        Caller::system(tenant_id).permit(Action::RetryDeadJobs).unwrap()
    }

    pub(crate) async fn submit(&self, tenant_id: TenantId, stages: &[&str]) -> NewRun {
        self.submit_with_priority(tenant_id, stages, 0).await
    }

    pub(crate) async fn submit_with_priority(
        &self,
        tenant_id: TenantId,
        stages: &[&str],
        priority: i16,
    ) -> NewRun {
        let new = NewRun {
            run_id: RunId(self.ids.next()),
            job_id: JobId(self.ids.next()),
            doc_id: DocId(self.ids.next()),
            pipeline: pipeline(stages),
            priority,
            retries: 4,
            parent_run_id: None,
            reason: None,
            config: RunConfig::default(),
            run_type: RunType::default(),
            trace_parent: Some(
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".to_owned(),
            ),
            content: None,
            batch_id: None,
            password: None,
            reused: None,
        };
        let mut tx = self.store.begin(&Self::scope(tenant_id)).await.unwrap();
        tx.start_run(&new).await.unwrap();
        tx.commit().await.unwrap();
        new
    }

    /// Inserts many runs of one stage directly, without the store.
    pub(crate) async fn flood(&self, tenant_id: TenantId, stage: &str, count: i32) {
        let mut superuser = self.database.superuser().await;
        sqlx::query(
            "WITH made AS (
                 INSERT INTO ingestion_runs (run_id, tenant_id, doc_id, status, pipeline, created_at, updated_at)
                 SELECT gen_random_uuid(), $1, gen_random_uuid(), 'queued', ARRAY[$2], $3, $3
                 FROM generate_series(1, $4) RETURNING run_id, doc_id)
             INSERT INTO jobs (job_id, tenant_id, run_id, doc_id, stage, status, max_attempts, next_run_at,
                               created_at, updated_at)
             SELECT gen_random_uuid(), $1, run_id, doc_id, $2, 'PENDING', 4, $3, $3, $3 FROM made",
        )
        .bind(tenant_id.0)
        .bind(stage)
        .bind(self.now())
        .bind(count)
        .execute(&mut superuser)
        .await
        .unwrap();
    }

    pub(crate) fn slots(&self, stage: &str, count: usize, last_tenant: TenantId) -> StageSlots {
        StageSlots {
            stage: stage.parse().unwrap(),
            count,
            is_reserved: false,
            last_tenant,
            lease_until: self.now() + LEASE,
        }
    }

    pub(crate) async fn claim(&self, worker: &str, stage: &str, count: usize) -> Vec<ClaimedJob> {
        let slots = [self.slots(stage, count, TenantId(uuid::Uuid::nil()))];
        self.claim_slots(worker, &slots, count).await
    }

    pub(crate) async fn claim_slots(
        &self,
        worker: &str,
        slots: &[StageSlots],
        max_jobs: usize,
    ) -> Vec<ClaimedJob> {
        let busy_tenants = &[];
        let claim =
            JobClaim { stages: slots, max_jobs, busy_tenants, worker_id: worker, now: self.now() };
        self.make_claim(&claim).await
    }

    /// Claims for reserved slots, as a worker with running jobs of `busy_tenants`.
    pub(crate) async fn claim_reserved(
        &self,
        busy_tenants: &[TenantId],
        stage: &str,
        count: usize,
    ) -> Vec<ClaimedJob> {
        let none = TenantId(uuid::Uuid::nil());
        let slots = &[StageSlots { is_reserved: true, ..self.slots(stage, count, none) }];
        let (now, worker_id) = (self.now(), "w");
        self.make_claim(&JobClaim { stages: slots, max_jobs: 0, busy_tenants, worker_id, now })
            .await
    }

    async fn make_claim(&self, claim: &JobClaim<'_>) -> Vec<ClaimedJob> {
        let mut across = self.store.queue_transaction().await.unwrap();
        let jobs = across.claim_jobs(claim).await.unwrap();
        across.commit().await.unwrap();
        jobs
    }

    pub(crate) async fn claim_one(&self, worker: &str, stage: &str) -> ClaimedJob {
        let mut jobs = self.claim(worker, stage, 1).await;
        assert_eq!(jobs.len(), 1, "{stage} has a job waiting");
        jobs.remove(0)
    }

    /// `true` when the report was accepted.
    pub(crate) async fn settle(&self, lease: LeaseRef, outcome: Outcome) -> bool {
        let mut across = self.store.queue_transaction().await.unwrap();
        let accepted = across.settle_jobs(&[Report { lease, outcome }], self.now()).await.unwrap();
        across.commit().await.unwrap();
        accepted == [lease]
    }

    pub(crate) async fn schedule_retry(&self, job: &ClaimedJob, by: Duration) -> bool {
        let not_before = self.now() + by;
        self.settle(
            lease_of(job),
            Outcome::RetryScheduled { failure: Failure::retry("it broke"), not_before },
        )
        .await
    }

    /// The leases that are lost.
    pub(crate) async fn heartbeat(&self, leases: &[LeaseRef]) -> Vec<LeaseRef> {
        let until = self.now() + LEASE;
        let leases: Vec<_> = leases.iter().map(|lease| (*lease, until)).collect();
        let mut across = self.store.queue_transaction().await.unwrap();
        let lost = across.renew_leases(&leases, self.now()).await.unwrap();
        across.commit().await.unwrap();
        lost
    }

    /// How many leases expired, and how many of their jobs are dead.
    pub(crate) async fn expire_leases(&self, allowed: u32) -> (usize, usize) {
        let mut across = self.store.queue_transaction().await.unwrap();
        let expired = across.expire_leases(self.now(), allowed, 100).await.unwrap();
        across.commit().await.unwrap();
        (expired.len(), expired.iter().filter(|lease| lease.is_dead).count())
    }

    pub(crate) fn next(&self, stage: &str, leased: bool) -> NextJob {
        let token = LeaseToken(self.ids.next());
        NextJob {
            stage: stage.parse().unwrap(),
            job_id: JobId(self.ids.next()),
            lease: leased.then(|| Lease { token, until: self.now() + LEASE }),
            retries: 4,
        }
    }

    pub(crate) async fn job(&self, tenant_id: TenantId, job_id: JobId) -> JobRecord {
        let mut tx = self.store.read(&Self::scope(tenant_id)).await.unwrap();
        tx.find_job(job_id).await.unwrap().unwrap()
    }

    pub(crate) async fn retry(&self, tenant_id: TenantId, job_id: JobId) -> bool {
        let mut tx = self.store.begin(&Self::scope(tenant_id)).await.unwrap();
        let requeued = tx.retry_job(job_id).await.unwrap();
        tx.commit().await.unwrap();
        requeued
    }

    pub(crate) async fn cancel(&self, tenant_id: TenantId, run_id: RunId) -> bool {
        let mut tx = self.store.begin(&Self::scope(tenant_id)).await.unwrap();
        let cancelled = tx.cancel_run(run_id).await.unwrap();
        tx.commit().await.unwrap();
        cancelled
    }

    /// All rows that the queue writes, to compare before and after.
    pub(crate) async fn all_rows(&self) -> Vec<Value> {
        let mut superuser = self.database.superuser().await;
        let mut all = Vec::new();
        all.extend(rows(&mut superuser, "SELECT to_jsonb(t) FROM jobs t ORDER BY job_id").await);
        all.extend(
            rows(&mut superuser, "SELECT to_jsonb(t) FROM ingestion_runs t ORDER BY run_id").await,
        );
        all.extend(
            rows(&mut superuser, "SELECT to_jsonb(t) FROM stages t ORDER BY run_id, name").await,
        );
        all.extend(
            rows(&mut superuser, "SELECT to_jsonb(t) FROM outbox_events t ORDER BY evt_id").await,
        );
        all.extend(
            rows(&mut superuser, "SELECT to_jsonb(t) FROM audit_log t ORDER BY audit_id").await,
        );
        all
    }

    pub(crate) async fn values(&self, statement: &'static str) -> Vec<Value> {
        rows(&mut self.database.superuser().await, statement).await
    }

    /// The actions in the audit log, oldest first.
    pub(crate) async fn audited(&self) -> Vec<String> {
        let rows = self.values("SELECT to_jsonb(action) FROM audit_log ORDER BY audit_id").await;
        rows.into_iter().map(|row| row.as_str().unwrap().to_owned()).collect()
    }

    pub(crate) async fn assert_chain_intact(&self, tenant_id: TenantId) {
        let mut across = self.store.across_tenants().await.unwrap();
        across.use_one_snapshot().await.unwrap();
        assert_eq!(across.find_chain_faults(tenant_id).await.unwrap(), []);
    }
}

async fn rows(connection: &mut PgConnection, statement: &'static str) -> Vec<Value> {
    use sqlx::Row;
    let rows: Vec<PgRow> = sqlx::query(statement).fetch_all(connection).await.unwrap();
    rows.into_iter().map(|row| row.get(0)).collect()
}
