//! What workers do with the queue: claim jobs, renew leases, settle jobs, expire leases.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::{
    AuditAction, AuditEntry, ContentHash, DocId, EarlierArtifacts, Effect, Entity, Event, JobId,
    LeaseToken, NewResult, Pipeline, RunChange, RunConfig, RunId, Secret, StageName, TenantId,
    Tries, UnreadableRunConfig,
};
use serde::Deserialize;
use serde_json::{Value, json};
#[cfg(feature = "sabotage")]
use sqlx::AssertSqlSafe;
use sqlx::FromRow;
use uuid::Uuid;

use super::notify_workers;
use super::progression::apply_run_changes;
use super::report::{Outcome, Report, ReportColumns};
use crate::audit::SystemEntry;
use crate::documents::content_hash;
use crate::results::SettledResult;
use crate::{AcrossTenants, Store, StoreError, sql, storable};

/// How many jobs of a stage a worker can take, and the tenant whose job it claimed last.
#[derive(Clone, Debug)]
pub struct StageSlots {
    pub stage: StageName,
    pub count: usize,
    /// It is a reserved slot: only for tenants without running jobs in this worker.
    pub is_reserved: bool,
    pub last_tenant: TenantId,
    /// When the lease of a job claimed now ends.
    pub lease_until: DateTime<Utc>,
}

/// A worker's request for jobs.
#[derive(Debug)]
pub struct JobClaim<'a> {
    /// In the pipeline's order. Of two jobs in the same turn, the one of the later stage is claimed first.
    pub stages: &'a [StageSlots],
    /// The most jobs of all stages together; reserved slots come on top.
    pub max_jobs: usize,
    /// The tenants with running jobs in this worker.
    pub busy_tenants: &'a [TenantId],
    pub worker_id: &'a str,
    pub now: DateTime<Utc>,
}

/// A job that is leased to a worker.
#[derive(Clone, Debug)]
pub struct ClaimedJob {
    pub job_id: JobId,
    pub token: LeaseToken,
    pub tenant_id: TenantId,
    pub run_id: RunId,
    pub doc_id: DocId,
    pub stage: StageName,
    /// Its earlier attempts.
    pub tries: Tries,
    pub trace_parent: Option<String>,
    pub pipeline: Pipeline,
    /// The hash of the run's content.
    pub content: Option<ContentHash>,
    /// The run configuration. One that this process cannot read fails this job only.
    pub config: Result<Arc<RunConfig>, UnreadableRunConfig>,
    /// Opens the original.
    pub password: Option<Secret>,
    /// There is a password, but this process does not have the key that decrypts it.
    pub is_password_sealed: bool,
    /// How long it waited in the queue.
    pub waited: Duration,
    /// The artifacts of the earlier stages, by stage.
    pub earlier: Arc<EarlierArtifacts>,
}

/// The progress of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgressReport {
    pub lease: LeaseRef,
    pub done: u32,
    pub total: u32,
}

/// Identifies a lease: the job, and the token of the claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LeaseRef {
    pub job_id: JobId,
    pub token: LeaseToken,
}

#[derive(FromRow)]
pub(super) struct ClaimedRow {
    job_id: Uuid,
    tenant_id: Uuid,
    run_id: Uuid,
    doc_id: Uuid,
    stage: String,
    attempts: i32,
    max_attempts: i32,
    pauses: i32,
    lease_token: Uuid,
    trace_parent: Option<String>,
    pipeline: Vec<String>,
    content_sha256: Option<Vec<u8>>,
    config: Value,
    sealed_password: Option<Vec<u8>>,
    /// The run was queued before this claim.
    starts_run: bool,
    waited_ms: i64,
    earlier: Option<Value>,
}

impl ClaimedJob {
    fn of_row(row: ClaimedRow, store: &Store) -> Result<Self, StoreError> {
        let owner = (TenantId(row.tenant_id), RunId(row.run_id));
        let password = store.opened_password(owner, row.sealed_password.as_deref());
        let stages: Result<Vec<StageName>, _> = row.pipeline.into_iter().map(parse_stage).collect();
        let pipeline = Pipeline::try_from(stages?).map_err(|error| StoreError::Unreadable {
            what: "pipeline",
            value: error.to_string(),
        })?;
        // Unreadable values fail this job only, not the whole claim.
        let earlier = row.earlier.map(EarlierArtifacts::deserialize).transpose();
        let earlier = earlier.map_err(|_| UnreadableRunConfig::Artifacts);
        let (config, earlier) = match (RunConfig::read(row.config), earlier) {
            (Ok(config), Ok(earlier)) => (Ok(Arc::new(config)), earlier.unwrap_or_default()),
            (Err(error), _) | (_, Err(error)) => (Err(error), EarlierArtifacts::default()),
        };
        Ok(Self {
            job_id: JobId(row.job_id),
            token: LeaseToken(row.lease_token),
            tenant_id: TenantId(row.tenant_id),
            run_id: RunId(row.run_id),
            doc_id: DocId(row.doc_id),
            stage: parse_stage(row.stage)?,
            tries: Tries {
                retries: u32::try_from(row.attempts).unwrap_or(0),
                max_retries: u32::try_from(row.max_attempts).unwrap_or(0),
                pauses: u32::try_from(row.pauses).unwrap_or(0),
            },
            trace_parent: row.trace_parent,
            pipeline,
            content: row.content_sha256.as_deref().map(content_hash).transpose()?,
            config,
            is_password_sealed: row.sealed_password.is_some() && password.is_none(),
            password,
            waited: Duration::from_millis(u64::try_from(row.waited_ms).unwrap_or(0)),
            earlier: Arc::new(earlier),
        })
    }
}

pub(super) fn parse_stage(text: String) -> Result<StageName, StoreError> {
    text.parse().map_err(|_| StoreError::Unreadable { what: "stage", value: text })
}

#[derive(FromRow)]
struct SettledRow {
    job_id: Uuid,
    token: Uuid,
    tenant_id: Uuid,
    run_id: Uuid,
    doc_id: Uuid,
    stage: String,
    outcome: String,
    attempts: i32,
    error: Option<String>,
    trace_parent: Option<String>,
    /// It did not wait for the same dependency before.
    is_newly_paused: bool,
    /// The dependency that it waited for before it succeeded.
    works_again: Option<String>,
    /// The report makes a job claimable.
    has_claimable_job: bool,
}

impl SettledRow {
    fn lease(&self) -> LeaseRef {
        LeaseRef { job_id: JobId(self.job_id), token: LeaseToken(self.token) }
    }

    /// How this changes the run.
    fn run_change(&self, outcome: &Outcome) -> Result<Option<RunChange>, StoreError> {
        let stage = || parse_stage(self.stage.clone());
        Ok(match outcome {
            Outcome::Succeeded { next: None, .. } => {
                Some(RunChange::Succeeded { stage: Some(stage()?) })
            }
            Outcome::Succeeded { .. } if self.stage == StageName::INDEX.as_str() => {
                Some(RunChange::Indexed)
            }
            Outcome::Failed { failure } => {
                let error = storable::text(&failure.error).into_owned();
                Some(RunChange::Failed { stage: Some(stage()?), error, code: failure.code })
            }
            Outcome::Succeeded { .. }
            | Outcome::RetryScheduled { .. }
            | Outcome::Paused { .. }
            | Outcome::Released => None,
        })
    }

    /// The event of a pause.
    fn pause_event(&self, outcome: &Outcome) -> Result<Option<Event>, StoreError> {
        let &Outcome::Paused { dependency, .. } = outcome else { return Ok(None) };
        if !self.is_newly_paused {
            return Ok(None);
        }
        Ok(Some(Event::DocumentPaused {
            doc_id: DocId(self.doc_id),
            run_id: RunId(self.run_id),
            stage: parse_stage(self.stage.clone())?,
            waiting_for: dependency,
        }))
    }

    fn result<'a>(&'a self, new: &'a NewResult) -> SettledResult<'a> {
        SettledResult {
            tenant_id: TenantId(self.tenant_id),
            doc_id: DocId(self.doc_id),
            run_id: RunId(self.run_id),
            trace_parent: self.trace_parent.as_deref(),
            new,
        }
    }

    fn audit(&self) -> SystemEntry {
        let action = match self.outcome.as_str() {
            "succeeded" => AuditAction::JobCompleted,
            "failed" => AuditAction::JobFailed,
            "retry_scheduled" | "paused" => AuditAction::JobRetryScheduled,
            _ => AuditAction::JobReleased,
        };
        let entry = AuditEntry {
            action,
            entity: Entity::Job(JobId(self.job_id)),
            detail: json!({
                "run_id": self.run_id,
                "stage": self.stage,
                "attempts": self.attempts,
                "error": self.error,
            }),
        };
        SystemEntry::new(TenantId(self.tenant_id), entry, self.trace_parent.as_deref())
    }
}

impl AcrossTenants {
    /// Claims jobs for the requested slots. Each is leased to the worker.
    pub async fn claim_jobs(
        &mut self,
        claim: &JobClaim<'_>,
    ) -> Result<Vec<ClaimedJob>, StoreError> {
        let stages: Vec<&str> = claim.stages.iter().map(|slots| slots.stage.as_str()).collect();
        let counts: Vec<i32> = claim
            .stages
            .iter()
            .map(|slots| i32::try_from(slots.count).unwrap_or(i32::MAX))
            .collect();
        let last: Vec<Uuid> = claim.stages.iter().map(|slots| slots.last_tenant.0).collect();
        let lease_ends: Vec<DateTime<Utc>> =
            claim.stages.iter().map(|slots| slots.lease_until).collect();
        let is_reserved: Vec<bool> = claim.stages.iter().map(|slots| slots.is_reserved).collect();
        let total = |is_reserved: bool| {
            let slots = claim.stages.iter().filter(|slots| slots.is_reserved == is_reserved);
            slots.map(|slots| slots.count).sum::<usize>()
        };
        let max_jobs = total(false).min(claim.max_jobs);
        let tokens: Vec<Uuid> = (0..max_jobs + total(true)).map(|_| self.next_id()).collect();
        let rows: Vec<ClaimedRow> = sqlx::query_as(sql!("jobs/claim"))
            .bind(stages)
            .bind(counts)
            .bind(last)
            .bind(lease_ends)
            .bind(claim.now)
            .bind(claim.worker_id)
            .bind(tokens)
            .bind(claim.busy_tenants.iter().map(|tenant| tenant.0).collect::<Vec<_>>())
            .bind(is_reserved)
            .bind(i32::try_from(max_jobs).unwrap_or(i32::MAX))
            .fetch_all(self.connection())
            .await?;
        self.record_claimed(rows, claim.worker_id, claim.now).await
    }

    /// Starts the runs of the claimed jobs and writes the audit rows, in the transaction of the claim.
    pub(super) async fn record_claimed(
        &mut self,
        rows: Vec<ClaimedRow>,
        worker_id: &str,
        now: DateTime<Utc>,
    ) -> Result<Vec<ClaimedJob>, StoreError> {
        let starting = rows.iter().filter(|row| row.starts_run);
        let changes: Vec<_> = starting.map(|row| (RunId(row.run_id), RunChange::Started)).collect();
        apply_run_changes(self.writing(now), &changes, Vec::new()).await?;
        let jobs: Vec<ClaimedJob> = rows
            .into_iter()
            .map(|row| ClaimedJob::of_row(row, self.store()))
            .collect::<Result<_, _>>()?;
        let started = |job: &ClaimedJob| {
            let detail = json!({ "run_id": job.run_id, "stage": job.stage, "worker": worker_id });
            let entity = Entity::Job(job.job_id);
            let entry = AuditEntry { action: AuditAction::JobStarted, entity, detail };
            SystemEntry::new(job.tenant_id, entry, job.trace_parent.as_deref())
        };
        self.append_audit_many(now, jobs.iter().map(started)).await?;
        Ok(jobs)
    }

    /// Renews each lease until its moment; returns those that are lost.
    pub async fn renew_leases(
        &mut self,
        leases: &[(LeaseRef, DateTime<Utc>)],
        now: DateTime<Utc>,
    ) -> Result<Vec<LeaseRef>, StoreError> {
        let ids: Vec<Uuid> = leases.iter().map(|(lease, _)| lease.job_id.0).collect();
        let tokens: Vec<Uuid> = leases.iter().map(|(lease, _)| lease.token.0).collect();
        let ends: Vec<DateTime<Utc>> = leases.iter().map(|(_, until)| *until).collect();
        let lost: Vec<(Uuid, Uuid)> = sqlx::query_as(sql!("jobs/heartbeat"))
            .bind(ids)
            .bind(tokens)
            .bind(ends)
            .bind(now)
            .fetch_all(self.connection())
            .await?;
        let lease = |(job, token)| LeaseRef { job_id: JobId(job), token: LeaseToken(token) };
        Ok(lost.into_iter().map(lease).collect())
    }

    /// Records the progress of jobs, for subscribers to read. Reports on lost leases are ignored.
    pub async fn record_progress(
        &mut self,
        reports: &[ProgressReport],
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let ids: Vec<Uuid> = reports.iter().map(|report| report.lease.job_id.0).collect();
        let tokens: Vec<Uuid> = reports.iter().map(|report| report.lease.token.0).collect();
        let number = |count: u32| i32::try_from(count).unwrap_or(i32::MAX);
        let done: Vec<i32> = reports.iter().map(|report| number(report.done)).collect();
        let total: Vec<i32> = reports.iter().map(|report| number(report.total)).collect();
        sqlx::query(sql!("jobs/progress"))
            .bind(ids)
            .bind(tokens)
            .bind(done)
            .bind(total)
            .bind(now)
            .execute(self.connection())
            .await?;
        Ok(())
    }

    /// Settles many jobs at once; returns the leases whose reports were accepted. The others were lost: a worker may even
    /// report the same job twice, once with a lost lease.
    pub async fn settle_jobs(
        &mut self,
        reports: &[Report],
        now: DateTime<Utc>,
    ) -> Result<Vec<LeaseRef>, StoreError> {
        let columns = ReportColumns::of(reports);
        let rows: Vec<SettledRow> = sqlx::query_as(self.settle_statement())
            .bind(columns.job_ids)
            .bind(columns.tokens)
            .bind(columns.outcomes)
            .bind(columns.not_before)
            .bind(columns.errors)
            .bind(columns.classes)
            .bind(columns.guidance)
            .bind(columns.artifacts)
            .bind(columns.next_stages)
            .bind(columns.next_job_ids)
            .bind(columns.next_tokens)
            .bind(columns.next_lease_ends)
            .bind(columns.next_retries)
            .bind(now)
            .bind(columns.stats)
            .bind(columns.codes)
            .bind(columns.waits_for)
            .fetch_all(self.connection())
            .await?;
        self.append_audit_many(now, rows.iter().map(SettledRow::audit)).await?;
        let outcomes: HashMap<LeaseRef, &Outcome> =
            reports.iter().map(|report| (report.lease, &report.outcome)).collect();
        let mut changes = Vec::new();
        let mut events = Vec::new();
        let mut results = Vec::new();
        for row in &rows {
            let Some(outcome) = outcomes.get(&row.lease()) else { continue };
            changes.extend(row.run_change(outcome)?.map(|change| (RunId(row.run_id), change)));
            events.extend(row.pause_event(outcome)?.map(|event| (TenantId(row.tenant_id), event)));
            let Outcome::Succeeded { output, .. } = outcome else { continue };
            let run = (TenantId(row.tenant_id), DocId(row.doc_id), RunId(row.run_id));
            for effect in &output.effects {
                match effect {
                    Effect::Chunks(chunks) => self.insert_chunks(run, chunks, now).await?,
                    Effect::Result(new) => results.push(row.result(new)),
                }
            }
        }
        apply_run_changes(self.writing(now), &changes, events).await?;
        let run_ids: Vec<Uuid> = changes.iter().map(|(run_id, _)| run_id.0).collect();
        self.describe_served(&run_ids).await?;
        self.insert_results(&results, now).await?;
        let working: BTreeSet<&str> =
            rows.iter().filter_map(|row| row.works_again.as_deref()).collect();
        if !working.is_empty() {
            self.resume_waiting_for(&working.into_iter().collect::<Vec<_>>(), now).await?;
        }
        if rows.iter().any(|row| row.has_claimable_job) {
            notify_workers(self.connection()).await?;
        }
        Ok(rows.iter().map(SettledRow::lease).collect())
    }

    #[cfg(not(feature = "sabotage"))]
    #[expect(clippy::unused_self, reason = "with the feature, the answer depends on the store")]
    fn settle_statement(&self) -> &'static str {
        sql!("jobs/settle")
    }

    /// Without the check of the lease token, so that the simulation can prove that it would notice.
    #[cfg(feature = "sabotage")]
    fn settle_statement(&self) -> AssertSqlSafe<String> {
        let statement = sql!("jobs/settle").to_owned();
        AssertSqlSafe(if self.is_unfenced() {
            statement.replace("AND jobs.lease_token = r.token", "")
        } else {
            statement
        })
    }
}
