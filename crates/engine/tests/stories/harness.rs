//! A database, a tenant, and scripted stages.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use domain::{
    Action, Artifact, ArtifactEntry, Caller, DocId, Environment, Failure, JobId, JobState,
    RunConfig, RunId, RunType, Scope, StageName, Tenant, TenantId,
};
use engine::{
    Stage, StageFuture, StageInput, StageOutput, StageSettings, Stages, Worker, WorkerSettings,
};
use serde_json::Value;
use sqlx::Row;
use store::{JobRecord, NewRun, Store};
use testkit::{FakeClock, TestDatabase, fake_environment};

pub(crate) struct Harness {
    pub(crate) database: TestDatabase,
    pub(crate) clock: Arc<FakeClock>,
    pub(crate) environment: Environment,
    pub(crate) store: Store,
    pub(crate) tenant_id: TenantId,
}

/// A stage that runs a closure and counts its runs.
pub(crate) struct Scripted<F> {
    name: StageName,
    settings: StageSettings,
    script: F,
    runs: Arc<AtomicUsize>,
}

impl<F, Ran> Stage for Scripted<F>
where
    F: Fn(StageInput) -> Ran + Send + Sync,
    Ran: Future<Output = Result<(), Failure>> + Send,
{
    fn name(&self) -> &StageName {
        &self.name
    }

    fn settings(&self) -> &StageSettings {
        &self.settings
    }

    fn run<'a>(&'a self, input: &'a StageInput) -> StageFuture<'a> {
        self.runs.fetch_add(1, Ordering::SeqCst);
        Box::pin(async {
            (self.script)(input.clone()).await?;
            Ok(StageOutput { artifacts: vec![named(self.name.as_str())], ..StageOutput::default() })
        })
    }
}

/// An artifact without content.
pub(crate) fn named(name: &str) -> Artifact {
    Artifact::Other(ArtifactEntry { name: name.to_owned(), ..ArtifactEntry::default() })
}

pub(crate) fn scripted<F, Ran>(
    name: &str,
    settings: StageSettings,
    script: F,
) -> (Scripted<F>, Arc<AtomicUsize>)
where
    F: Fn(StageInput) -> Ran + Send + Sync,
    Ran: Future<Output = Result<(), Failure>> + Send,
{
    let runs = Arc::new(AtomicUsize::new(0));
    let name = name.parse().unwrap();
    (Scripted { name, settings, script, runs: Arc::clone(&runs) }, runs)
}

/// Stages that succeed at once.
pub(crate) fn quick(names: &[&str]) -> Stages {
    names.iter().fold(Stages::default(), |stages, name| {
        stages.with(scripted(name, StageSettings::default(), |_| async { Ok(()) }).0)
    })
}

impl Harness {
    pub(crate) async fn open() -> Self {
        let database = TestDatabase::create().await;
        let clock = Arc::new(FakeClock::default());
        let environment = fake_environment(&clock);
        Self::with(database, clock, environment).await
    }

    pub(crate) async fn with(
        database: TestDatabase,
        clock: Arc<FakeClock>,
        environment: Environment,
    ) -> Self {
        let store = database.store(environment.clock.clone(), environment.ids.clone()).await;
        let none = TenantId(uuid::Uuid::nil());
        let harness = Self { database, clock, environment, store, tenant_id: none };
        Self { tenant_id: harness.add_tenant("acme").await, ..harness }
    }

    pub(crate) fn scope(&self) -> Scope {
        Caller::system(self.tenant_id).permit(Action::RetryDeadJobs).unwrap()
    }

    /// Adds another tenant.
    pub(crate) async fn add_tenant(&self, name: &str) -> TenantId {
        let tenant_id = TenantId(self.environment.ids.next());
        let created_at = self.environment.clock.now();
        let mut across = self.store.across_tenants().await.unwrap();
        across
            .insert_tenant(&Tenant { tenant_id, name: name.to_owned(), created_at })
            .await
            .unwrap();
        across.commit().await.unwrap();
        tenant_id
    }

    pub(crate) fn worker(&self, stages: Stages) -> Worker {
        self.worker_with(stages, WorkerSettings::named("w"))
    }

    pub(crate) fn worker_with(&self, stages: Stages, settings: WorkerSettings) -> Worker {
        Worker::new(self.store.clone(), stages, self.environment.clone(), settings).unwrap()
    }

    pub(crate) async fn submit(&self, stages: &[&str]) -> NewRun {
        self.submit_for(self.tenant_id, stages).await
    }

    pub(crate) async fn submit_for(&self, tenant_id: TenantId, stages: &[&str]) -> NewRun {
        let stages: Vec<StageName> = stages.iter().map(|stage| stage.parse().unwrap()).collect();
        let new = NewRun {
            run_id: RunId(self.environment.ids.next()),
            job_id: JobId(self.environment.ids.next()),
            doc_id: DocId(self.environment.ids.next()),
            pipeline: stages.try_into().unwrap(),
            priority: 0,
            retries: 4,
            parent_run_id: None,
            reason: None,
            config: RunConfig::default(),
            run_type: RunType::default(),
            trace_parent: None,
            content: None,
            batch_id: None,
            password: None,
            reused: None,
        };
        let scope = Caller::system(tenant_id).permit(Action::RetryDeadJobs).unwrap();
        let mut tx = self.store.begin(&scope).await.unwrap();
        tx.start_run(&new).await.unwrap();
        tx.commit().await.unwrap();
        new
    }

    pub(crate) async fn job(&self, job_id: JobId) -> JobRecord {
        let mut tx = self.store.read(&self.scope()).await.unwrap();
        tx.find_job(job_id).await.unwrap().unwrap()
    }

    pub(crate) async fn retry(&self, job_id: JobId) {
        let mut tx = self.store.begin(&self.scope()).await.unwrap();
        assert!(tx.retry_job(job_id).await.unwrap());
        tx.commit().await.unwrap();
    }

    pub(crate) async fn cancel(&self, run_id: RunId) {
        let mut tx = self.store.begin(&self.scope()).await.unwrap();
        assert!(tx.cancel_run(run_id).await.unwrap());
        tx.commit().await.unwrap();
    }

    pub(crate) async fn values(&self, statement: &'static str) -> Vec<Value> {
        let mut superuser = self.database.superuser().await;
        let rows = sqlx::query(statement).fetch_all(&mut superuser).await.unwrap();
        rows.into_iter().map(|row| row.get(0)).collect()
    }

    /// Changes rows directly, as an operator might.
    pub(crate) async fn change(&self, statements: &'static str) {
        sqlx::raw_sql(statements).execute(&mut self.database.superuser().await).await.unwrap();
    }

    pub(crate) async fn count_audited(&self, action: &str) -> usize {
        let rows = self.values("SELECT to_jsonb(action) FROM audit_log").await;
        rows.iter().filter(|row| *row == action).count()
    }

    /// Waits until a job is in that state; the test's own time limit applies.
    pub(crate) async fn until(&self, job_id: JobId, state: JobState) {
        while self.job(job_id).await.status != state {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    pub(crate) async fn assert_chain_intact(&self) {
        let mut across = self.store.across_tenants().await.unwrap();
        across.use_one_snapshot().await.unwrap();
        assert_eq!(across.find_chain_faults(self.tenant_id).await.unwrap(), []);
    }
}
