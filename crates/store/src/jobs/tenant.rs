//! What users do with the queue: start a run, list jobs, retry and cancel.

use chrono::{DateTime, Utc};
use domain::{
    AuditAction, AuditEntry, BatchId, ClosedBy, ContentHash, DocId, Entity, JobId, JobState,
    MaskRule, Pipeline, RunChange, RunConfig, RunId, RunType, Secret, StageName,
};
use serde_json::json;
use sqlx::FromRow;
use uuid::Uuid;

use super::dead::parse_closed_by;
use super::notify_workers;
use super::progression::apply_run_changes;
use super::queue::parse_stage;
use crate::{AcrossTenants, SecretPurpose, StoreError, Tx, Window, sql};

/// A run to be queued.
#[derive(Clone, Debug)]
pub struct NewRun {
    pub run_id: RunId,
    pub job_id: JobId,
    pub doc_id: DocId,
    pub pipeline: Pipeline,
    pub priority: i16,
    /// How often the first stage may be retried.
    pub retries: u32,
    /// What started it.
    pub run_type: RunType,
    pub parent_run_id: Option<RunId>,
    pub reason: Option<String>,
    pub config: RunConfig,
    pub trace_parent: Option<String>,
    /// The hash of its content.
    pub content: Option<ContentHash>,
    pub batch_id: Option<BatchId>,
    /// Opens the original.
    pub password: Option<Secret>,
    /// Starts at a later stage, with the stages of an earlier run.
    pub reused: Option<ReusedStages>,
}

/// The stages that a run copies from an earlier run.
#[derive(Clone, Debug)]
pub struct ReusedStages {
    pub from: RunId,
    /// The stage to start with.
    pub first: StageName,
}

/// Which jobs to list; `None` matches all.
#[derive(Clone, Debug, Default)]
pub struct JobFilter {
    pub status: Option<JobState>,
    pub stage: Option<String>,
    pub run_id: Option<RunId>,
}

/// Which dead jobs to requeue; all conditions must hold, and `None` matches all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeadJobFilter {
    pub stage: Option<String>,
    pub error_class: Option<String>,
    pub created_from: Option<DateTime<Utc>>,
    pub created_before: Option<DateTime<Utc>>,
    pub run_id: Option<RunId>,
    pub doc_id: Option<DocId>,
    /// A part of the error, in upper or lower case.
    pub error_contains: Option<String>,
}

/// A job as users see it.
#[derive(Clone, Debug, PartialEq)]
pub struct JobRecord {
    pub job_id: JobId,
    pub run_id: RunId,
    pub doc_id: DocId,
    pub doc_title: Option<String>,
    pub kind: String,
    pub stage: StageName,
    pub status: JobState,
    pub priority: i16,
    pub attempts: i32,
    pub max_attempts: i32,
    pub expiries: i32,
    pub next_run_at: DateTime<Utc>,
    pub lease_until: Option<DateTime<Utc>>,
    pub worker_id: Option<String>,
    pub started_at: Option<DateTime<Utc>>,
    pub error: Option<String>,
    pub error_class: Option<String>,
    /// The failure code.
    pub error_code: Option<String>,
    pub guidance: Option<String>,
    /// Why it needs no attention although it is dead.
    pub closed_by: Option<ClosedBy>,
    /// How often it was paused.
    pub pauses: i32,
    /// The dependency that it waits for.
    pub paused_for: Option<String>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

/// The queue of a stage, counted.
#[derive(Clone, Debug, FromRow)]
pub struct QueueRecord {
    pub stage: String,
    pub waiting: i64,
    /// Those of them that wait for a dependency.
    pub paused: i64,
    pub in_flight: i64,
    pub dead: i64,
    /// When the oldest job that is due was created.
    pub oldest: Option<DateTime<Utc>>,
    pub finished_last_minute: i64,
}

#[derive(FromRow)]
struct JobRow {
    job_id: Uuid,
    run_id: Uuid,
    doc_id: Uuid,
    doc_title: Option<String>,
    #[sqlx(rename = "type")]
    kind: String,
    stage: String,
    status: String,
    priority: i16,
    attempts: i32,
    max_attempts: i32,
    expiries: i32,
    next_run_at: DateTime<Utc>,
    lease_until: Option<DateTime<Utc>>,
    worker_id: Option<String>,
    started_at: Option<DateTime<Utc>>,
    error: Option<String>,
    error_class: Option<String>,
    error_code: Option<String>,
    guidance: Option<String>,
    closed_by: Option<String>,
    pauses: i32,
    paused_for: Option<String>,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
}

impl TryFrom<JobRow> for JobRecord {
    type Error = StoreError;

    fn try_from(row: JobRow) -> Result<Self, StoreError> {
        Ok(Self {
            job_id: JobId(row.job_id),
            run_id: RunId(row.run_id),
            doc_id: DocId(row.doc_id),
            doc_title: row.doc_title,
            kind: row.kind,
            stage: parse_stage(row.stage)?,
            status: row.status.parse()?,
            priority: row.priority,
            attempts: row.attempts,
            max_attempts: row.max_attempts,
            expiries: row.expiries,
            next_run_at: row.next_run_at,
            lease_until: row.lease_until,
            worker_id: row.worker_id,
            started_at: row.started_at,
            error: row.error,
            error_class: row.error_class,
            error_code: row.error_code,
            closed_by: row.closed_by.as_deref().map(parse_closed_by).transpose()?,
            guidance: row.guidance,
            pauses: row.pauses,
            paused_for: row.paused_for,
            created_at: row.created_at,
            updated_at: row.updated_at,
        })
    }
}

impl Tx {
    /// Queues a run and its first job.
    pub async fn start_run(&mut self, new: &NewRun) -> Result<(), StoreError> {
        let stages: Vec<&str> = new.pipeline.stages().iter().map(StageName::as_str).collect();
        let check = match &new.content {
            Some(content) => self.password_check(content, new.password.as_ref())?,
            None => None,
        };
        sqlx::query(sql!("jobs/insert_run"))
            .bind(new.run_id.0)
            .bind(self.tenant_id().0)
            .bind(new.doc_id.0)
            .bind(stages)
            .bind(new.parent_run_id.map(|id| id.0))
            .bind(&new.reason)
            .bind(self.scope().actor().user_id().map(|id| id.0))
            .bind(new.config.to_json())
            .bind(self.now())
            .bind(new.job_id.0)
            .bind(new.priority)
            .bind(i32::try_from(new.retries).unwrap_or(i32::MAX))
            .bind(&new.trace_parent)
            .bind(new.content.as_ref().map(ContentHash::as_bytes))
            .bind(new.batch_id.map(|id| id.0))
            .bind(new.reused.as_ref().map(|reused| reused.first.as_str()))
            .bind(check.as_ref().map(<[u8; 32]>::as_slice))
            .bind(new.run_type.as_str())
            .execute(self.connection())
            .await?;
        if let Some(password) = &new.password {
            self.put_secret(SecretPurpose::DocumentPassword, new.run_id.0, password).await?;
        }
        if let Some(reused) = &new.reused {
            self.copy_stages(new, reused).await?;
        }
        let first = new.reused.as_ref().map_or(new.pipeline.first(), |reused| &reused.first);
        self.append_audit(AuditEntry {
            action: AuditAction::JobCreated,
            entity: Entity::Job(new.job_id),
            detail: json!({ "run_id": new.run_id, "stage": first }),
        })
        .await?;
        if new.parent_run_id.is_some() {
            self.publish_dead_jobs_changed().await?;
        }
        notify_workers(self.connection()).await
    }

    /// The latest run of this content, with the same masks, in which all of these stages succeeded.
    pub async fn find_reusable_run(
        &mut self,
        doc_id: DocId,
        content: &ContentHash,
        stages: &[StageName],
        masks: &[MaskRule],
    ) -> Result<Option<RunId>, StoreError> {
        let names: Vec<&str> = stages.iter().map(StageName::as_str).collect();
        let tenant_id = self.tenant_id().0;
        let found: Option<Uuid> = sqlx::query_scalar(sql!("runs/reusable"))
            .bind(tenant_id)
            .bind(doc_id.0)
            .bind(content.as_bytes())
            .bind(names)
            // As JSON, so that numbers compare as they are written in a run's configuration.
            .bind(json!(masks))
            .fetch_optional(self.connection())
            .await?;
        Ok(found.map(RunId))
    }

    /// The stages that do not run again count as succeeded, with their artifacts of the earlier run.
    async fn copy_stages(&mut self, new: &NewRun, reused: &ReusedStages) -> Result<(), StoreError> {
        let before = new.pipeline.stages().iter().take_while(|stage| **stage != reused.first);
        let names: Vec<&str> = before.map(StageName::as_str).collect();
        let tenant_id = self.tenant_id().0;
        sqlx::query(sql!("runs/copy_stages"))
            .bind(tenant_id)
            .bind(new.run_id.0)
            .bind(reused.from.0)
            .bind(names)
            .execute(self.connection())
            .await?;
        Ok(())
    }

    /// Newest first. A filter for dead jobs lists those that need attention.
    pub async fn list_jobs(
        &mut self,
        filter: &JobFilter,
        window: &Window,
    ) -> Result<Vec<JobRecord>, StoreError> {
        let query = match filter.status {
            Some(JobState::Dead) => sqlx::query_as(sql!("jobs/page_dead")).bind(self.tenant_id().0),
            status => sqlx::query_as(sql!("jobs/page"))
                .bind(self.tenant_id().0)
                .bind(status.map(JobState::as_str)),
        };
        let rows: Vec<JobRow> = query
            .bind(&filter.stage)
            .bind(filter.run_id.map(|id| id.0))
            .bind(window.moment())
            .bind(window.id())
            .bind(window.skip)
            .bind(window.limit)
            .fetch_all(self.connection())
            .await?;
        rows.into_iter().map(JobRecord::try_from).collect()
    }

    pub async fn find_job(&mut self, job_id: JobId) -> Result<Option<JobRecord>, StoreError> {
        let row: Option<JobRow> = sqlx::query_as(sql!("jobs/find"))
            .bind(self.tenant_id().0)
            .bind(job_id.0)
            .fetch_optional(self.connection())
            .await?;
        row.map(JobRecord::try_from).transpose()
    }

    /// Resets and requeues a dead job; `false` when it is not dead, its document was deleted or a later run superseded its
    /// run.
    pub async fn retry_job(&mut self, job_id: JobId) -> Result<bool, StoreError> {
        let requeued: Option<Uuid> = sqlx::query_scalar(sql!("jobs/retry"))
            .bind(self.tenant_id().0)
            .bind(job_id.0)
            .bind(self.now())
            .fetch_optional(self.connection())
            .await?;
        let Some(run_id) = requeued else { return Ok(false) };
        apply_run_changes(self.writing(), &[(RunId(run_id), RunChange::Retried)], Vec::new())
            .await?;
        self.audit_retry(job_id, RunId(run_id)).await?;
        self.publish_dead_jobs_changed().await?;
        notify_workers(self.connection()).await?;
        Ok(true)
    }

    /// Resets and requeues the dead jobs that match, oldest first, at most `max`; returns how many.
    pub async fn requeue_dead_jobs(
        &mut self,
        filter: &DeadJobFilter,
        max: i64,
    ) -> Result<usize, StoreError> {
        let requeued: Vec<(Uuid, Uuid)> = sqlx::query_as(sql!("jobs/requeue_dead"))
            .bind(self.tenant_id().0)
            .bind(&filter.stage)
            .bind(&filter.error_class)
            .bind(filter.created_from)
            .bind(filter.created_before)
            .bind(filter.run_id.map(|id| id.0))
            .bind(filter.doc_id.map(|id| id.0))
            .bind(&filter.error_contains)
            .bind(self.now())
            .bind(max)
            .fetch_all(self.connection())
            .await?;
        let changes: Vec<_> =
            requeued.iter().map(|(_, run_id)| (RunId(*run_id), RunChange::Retried)).collect();
        apply_run_changes(self.writing(), &changes, Vec::new()).await?;
        for (job_id, run_id) in &requeued {
            self.audit_retry(JobId(*job_id), RunId(*run_id)).await?;
        }
        if !requeued.is_empty() {
            self.publish_dead_jobs_changed().await?;
            notify_workers(self.connection()).await?;
        }
        Ok(requeued.len())
    }

    async fn audit_retry(&mut self, job_id: JobId, run_id: RunId) -> Result<(), StoreError> {
        self.append_audit(AuditEntry {
            action: AuditAction::JobRetriedByAdmin,
            entity: Entity::Job(job_id),
            detail: json!({ "run_id": run_id }),
        })
        .await
    }

    /// Cancels a run; `false` when it has ended or does not exist.
    pub async fn cancel_run(&mut self, run_id: RunId) -> Result<bool, StoreError> {
        if !self.lock_live_job(run_id).await? {
            return Ok(false);
        }
        let cancelled =
            RunChange::Failed { stage: None, error: "cancelled".to_owned(), code: None };
        if apply_run_changes(self.writing(), &[(run_id, cancelled)], Vec::new()).await?.is_empty() {
            return Ok(false);
        }
        sqlx::query(sql!("jobs/cancel"))
            .bind(self.tenant_id().0)
            .bind(run_id.0)
            .bind(self.now())
            .execute(self.connection())
            .await?;
        self.append_audit(AuditEntry {
            action: AuditAction::RunCancelled,
            entity: Entity::Run(run_id),
            detail: json!({}),
        })
        .await?;
        Ok(true)
    }

    /// Locks the live job of the run, so that no stage of it starts or ends until this transaction does; `false` when the
    /// run has ended.
    ///
    /// While the statement waits for the lock, a worker may finish the stage and create the next job, which the statement
    /// does not see. Then it is repeated.
    async fn lock_live_job(&mut self, run_id: RunId) -> Result<bool, StoreError> {
        loop {
            let (tenant_id, run) = (self.tenant_id().0, run_id.0);
            let locked: Option<Uuid> = sqlx::query_scalar(sql!("jobs/lock_live_job"))
                .bind(tenant_id)
                .bind(run)
                .fetch_optional(self.connection())
                .await?;
            if locked.is_some() {
                return Ok(true);
            }
            let is_live: bool = sqlx::query_scalar(sql!("jobs/run_is_live"))
                .bind(tenant_id)
                .bind(run)
                .fetch_one(self.connection())
                .await?;
            if !is_live {
                return Ok(false);
            }
        }
    }

    pub async fn run_exists(&mut self, run_id: RunId) -> Result<bool, StoreError> {
        let (tenant_id, run) = (self.tenant_id().0, run_id.0);
        Ok(sqlx::query_scalar(
            "SELECT EXISTS (SELECT FROM ingestion_runs WHERE tenant_id = $1 AND run_id = $2)",
        )
        .bind(tenant_id)
        .bind(run)
        .fetch_one(self.connection())
        .await?)
    }

    pub async fn list_queues(&mut self) -> Result<Vec<QueueRecord>, StoreError> {
        Ok(sqlx::query_as(sql!("jobs/queues"))
            .bind(self.tenant_id().0)
            .bind(self.now())
            .bind(self.now() - chrono::Duration::minutes(1))
            .fetch_all(self.connection())
            .await?)
    }
}

impl AcrossTenants {
    /// The queues of all stages, over all tenants.
    pub async fn list_all_queues(&mut self) -> Result<Vec<QueueRecord>, StoreError> {
        let now = self.now();
        Ok(sqlx::query_as(sql!("jobs/all_queues")).bind(now).fetch_all(self.connection()).await?)
    }
}
