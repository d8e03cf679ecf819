//! A private server, Docket's database on it, and tenants that queue work.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use chrono::{DateTime, Utc};
use domain::{
    Action, Caller, Clock, DocId, Environment, IdGen, JobId, Pipeline, Random, RunConfig, RunId,
    RunType, StageName, Tenant, TenantId,
};
use sqlx::PgConnection;
use store::private::{PrivateServer, Settings};
use store::{NewRun, Store};
use uuid::Uuid;

use super::CONNECTIONS;
use crate::Bench;
use crate::bare_commits;

/// The machine as it is.
#[derive(Debug)]
pub(super) struct Machine;

#[expect(clippy::disallowed_methods, reason = "a measurement takes the machine as it is")]
impl Clock for Machine {
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }

    fn elapsed(&self) -> Duration {
        (self.now() - DateTime::UNIX_EPOCH).to_std().unwrap_or_default()
    }
}

#[expect(clippy::disallowed_methods, reason = "a measurement takes the machine as it is")]
impl IdGen for Machine {
    fn next(&self) -> Uuid {
        Uuid::now_v7()
    }
}

impl Random for Machine {
    /// For the jitter of retries, of which there are none here.
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(0);
    }
}

pub(super) fn environment() -> Environment {
    Environment { clock: Arc::new(Machine), ids: Arc::new(Machine), random: Arc::new(Machine) }
}

pub(super) struct Rig {
    server: PrivateServer,
    cluster: PathBuf,
    pub(super) store: Store,
    pub(super) tenant_id: TenantId,
    superuser: PgConnection,
}

impl Rig {
    pub(super) async fn start(bench: &Bench, name: &str) -> anyhow::Result<Self> {
        let folder = bench.folder.path().join(name);
        let server = PrivateServer::start_or_attach(Settings::new(folder.clone())).await?;
        let (clock, ids) = (Arc::new(Machine), Arc::new(Machine));
        let store = Store::open_private(&server, CONNECTIONS.into(), clock, ids).await?;
        let cluster = folder.join("data");
        let superuser = bare_commits::connect(&cluster, "docket").await?;
        let tenant_id = add_tenant(&store, "acme").await?;
        Ok(Self { server, cluster, store, tenant_id, superuser })
    }

    pub(super) async fn stop(self) -> anyhow::Result<()> {
        self.store.close().await;
        drop(self.superuser);
        self.server.release().await?;
        Ok(())
    }

    /// Where the server's socket is, for any process.
    pub(super) fn cluster(&self) -> &Path {
        &self.cluster
    }

    pub(super) fn postmaster(&self) -> u32 {
        self.server.postmaster_pid()
    }

    /// Queues many runs at once. Unlike [`submit`] this writes no audit rows and sends no notification.
    pub(super) async fn fill(&mut self, stages: &[StageName], runs: i32) -> anyhow::Result<()> {
        const FILL: &str = "
            WITH run AS (
                INSERT INTO ingestion_runs (run_id, tenant_id, doc_id, status, pipeline, created_at, updated_at)
                SELECT uuidv7(), $1, uuidv7(), 'queued', $2, now(), now() FROM generate_series(1, $3)
                RETURNING *)
            INSERT INTO jobs (job_id, tenant_id, run_id, doc_id, stage, status, max_attempts, next_run_at,
                              created_at, updated_at)
            SELECT uuidv7(), tenant_id, run_id, doc_id, pipeline[1], 'PENDING', 4, now(), now(), now() FROM run";
        let names: Vec<&str> = stages.iter().map(StageName::as_str).collect();
        sqlx::query(FILL)
            .bind(self.tenant_id.0)
            .bind(names)
            .bind(runs)
            .execute(&mut self.superuser)
            .await?;
        Ok(())
    }

    /// Adds runs of one stage that were finished long ago.
    pub(super) async fn add_finished(&mut self, runs: i32) -> anyhow::Result<()> {
        const FILL: &str = "
            WITH run AS (
                INSERT INTO ingestion_runs (run_id, tenant_id, doc_id, status, pipeline, created_at, started_at,
                                            updated_at, finished_at)
                SELECT uuidv7(), $1, uuidv7(), 'succeeded', ARRAY['one'], now(), now(), now(), now()
                FROM generate_series(1, $2)
                RETURNING *)
            INSERT INTO jobs (job_id, tenant_id, run_id, doc_id, stage, status, max_attempts, next_run_at,
                              worker_id, started_at, created_at, updated_at)
            SELECT uuidv7(), tenant_id, run_id, doc_id, 'one', 'COMPLETED', 4, now(), 'w', now(), now(), now()
            FROM run";
        sqlx::query(FILL).bind(self.tenant_id.0).bind(runs).execute(&mut self.superuser).await?;
        Ok(())
    }

    /// No measurement pays for the unwritten pages of an earlier one.
    pub(super) async fn tidy(&mut self) -> anyhow::Result<()> {
        sqlx::raw_sql("VACUUM (ANALYZE) jobs, ingestion_runs, stages, outbox_events, audit_log")
            .execute(&mut self.superuser)
            .await?;
        sqlx::raw_sql("CHECKPOINT").execute(&mut self.superuser).await?;
        Ok(())
    }

    /// Whether any job is not finished.
    pub(super) async fn has_work(&mut self) -> anyhow::Result<bool> {
        const ASK: &str = "
            SELECT EXISTS (SELECT FROM jobs WHERE status = 'PENDING')
                OR EXISTS (SELECT FROM jobs WHERE status = 'PROCESSING')";
        Ok(sqlx::query_scalar(ASK).fetch_one(&mut self.superuser).await?)
    }

    pub(super) async fn wait_until_done(&mut self) -> anyhow::Result<()> {
        while self.has_work().await? {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        Ok(())
    }

    /// A database beside Docket's.
    pub(super) async fn create_database(&mut self, name: &'static str) -> anyhow::Result<()> {
        let create = sqlx::AssertSqlSafe(format!("CREATE DATABASE {name}"));
        sqlx::raw_sql(create).execute(&mut self.superuser).await?;
        Ok(())
    }
}

pub(super) async fn add_tenant(store: &Store, name: &str) -> anyhow::Result<TenantId> {
    let tenant_id = TenantId(Machine.next());
    let tenant = Tenant { tenant_id, name: name.to_owned(), created_at: Machine.now() };
    let mut across = store.across_tenants().await?;
    across.insert_tenant(&tenant).await?;
    across.commit().await?;
    Ok(tenant_id)
}

/// Queues runs as the product does, in one transaction.
pub(super) async fn submit(
    store: &Store,
    tenant_id: TenantId,
    stages: &[StageName],
    runs: usize,
) -> anyhow::Result<()> {
    let scope = Caller::system(tenant_id)
        .permit(Action::RetryDeadJobs)
        .ok()
        .context("the system may do everything")?;
    let pipeline = Pipeline::try_from(stages.to_vec())?;
    let mut tx = store.begin(&scope).await?;
    for _ in 0..runs {
        let new = NewRun {
            run_id: RunId(Machine.next()),
            job_id: JobId(Machine.next()),
            doc_id: DocId(Machine.next()),
            pipeline: pipeline.clone(),
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
        tx.start_run(&new).await?;
    }
    tx.commit().await?;
    Ok(())
}
