//! The workers' side: claim, prolong, report, take back.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::{
    AuditAction, AuditEntry, ContentHash, DocId, EarlierArtifacts, Effect, Entity, Event, JobId,
    JobState, LeaseToken, Pipeline, RetryPolicy, RunChange, RunConfig, RunId, Secret, StageName,
    TenantId, Tries, UnreadableRunConfig,
};
use serde::Deserialize;
use serde_json::{Value, json};
#[cfg(feature = "sabotage")]
use sqlx::AssertSqlSafe;
use sqlx::FromRow;
use uuid::Uuid;

use super::announce_work;
use super::progression::move_runs;
use super::report::{Outcome, Report, ReportColumns};
use crate::audit::SystemEntry;
use crate::documents::content_hash;
use crate::{AcrossTenants, Store, StoreError, sql, storable};

/// How many jobs of a stage a worker has room for, and whose turn it was last.
#[derive(Clone, Debug)]
pub struct StageRoom {
    pub stage: StageName,
    pub room: usize,
    /// The room is a reserved slot: only for tenants with nothing under way in this worker.
    pub is_reserved: bool,
    pub last_tenant: TenantId,
    /// When the lease of a job claimed now ends.
    pub lease_until: DateTime<Utc>,
}

/// A worker's request for work.
#[derive(Debug)]
pub struct Claim<'a> {
    /// In the pipeline's order: of two jobs whose turn it is, the one further on goes first.
    pub rooms: &'a [StageRoom],
    /// The most to claim of all stages together; reserved slots come on top.
    pub most: usize,
    /// The tenants with jobs under way in this worker.
    pub busy_tenants: &'a [TenantId],
    pub worker_id: &'a str,
    pub now: DateTime<Utc>,
}

/// A job in a worker's hands.
#[derive(Clone, Debug)]
pub struct ClaimedJob {
    pub job_id: JobId,
    pub token: LeaseToken,
    pub tenant_id: TenantId,
    pub run_id: RunId,
    pub doc_id: DocId,
    pub stage: StageName,
    /// What became of it before.
    pub tries: Tries,
    pub trace_parent: Option<String>,
    pub pipeline: Pipeline,
    /// What the run works on.
    pub content: Option<ContentHash>,
    /// What the run was told when it was made. One that this process cannot read costs that job only.
    pub config: Result<Arc<RunConfig>, UnreadableRunConfig>,
    /// Opens the original.
    pub password: Option<Secret>,
    /// There is a password, and this process does not have the key that opens it.
    pub is_password_sealed: bool,
    /// How long it lay in the queue.
    pub waited: Duration,
    /// The artifacts that the stages before it left, by stage.
    pub earlier: Arc<EarlierArtifacts>,
}

/// How far a job is: so many of so many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    pub held: Held,
    pub done: u32,
    pub total: u32,
}

/// A lease somebody holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Held {
    pub job_id: JobId,
    pub token: LeaseToken,
}

/// A job whose lease ran out.
#[derive(Clone, Debug)]
pub struct TakenBack {
    pub job_id: JobId,
    pub tenant_id: TenantId,
    pub gave_up: bool,
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
    /// The run is queued until now.
    starts_run: bool,
    waited_ms: i64,
    earlier: Option<Value>,
}

impl ClaimedJob {
    fn of_row(row: ClaimedRow, store: &Store) -> Result<Self, StoreError> {
        let place = (TenantId(row.tenant_id), RunId(row.run_id));
        let password = store.opened_password(place, row.sealed_password.as_deref());
        let stages: Result<Vec<StageName>, _> = row.pipeline.into_iter().map(parse_stage).collect();
        let pipeline = Pipeline::try_from(stages?).map_err(|error| StoreError::NotUnderstood {
            what: "pipeline",
            value: error.to_string(),
        })?;
        // What cannot be read fails this job only, not the claim of all.
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
    text.parse().map_err(|_| StoreError::NotUnderstood { what: "stage", value: text })
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
    /// It did not wait for the same before.
    is_newly_paused: bool,
    /// What it waited for before it succeeded.
    works_again: Option<String>,
    work_waits: bool,
}

impl SettledRow {
    fn held(&self) -> Held {
        Held { job_id: JobId(self.job_id), token: LeaseToken(self.token) }
    }

    /// How this moves the run.
    fn run_change(&self, outcome: &Outcome) -> Result<Option<RunChange>, StoreError> {
        let stage = || parse_stage(self.stage.clone());
        Ok(match outcome {
            Outcome::Succeeded { next: None, .. } => {
                Some(RunChange::Succeeded { stage: Some(stage()?) })
            }
            Outcome::Succeeded { .. } if self.stage == StageName::INDEX.as_str() => {
                Some(RunChange::Indexed)
            }
            Outcome::GivenUp { failure } => {
                let error = storable::text(&failure.error).into_owned();
                Some(RunChange::Failed { stage: Some(stage()?), error, code: failure.code })
            }
            Outcome::Succeeded { .. }
            | Outcome::PutOff { .. }
            | Outcome::Paused { .. }
            | Outcome::Released => None,
        })
    }

    /// What is told of a pause.
    fn pause(&self, outcome: &Outcome) -> Result<Option<Event>, StoreError> {
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

    fn audit(&self) -> SystemEntry {
        let action = match self.outcome.as_str() {
            "succeeded" => AuditAction::JobCompleted,
            "given_up" => AuditAction::JobFailed,
            "put_off" | "paused" => AuditAction::JobRetryScheduled,
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

#[derive(FromRow)]
struct ExpiredRow {
    job_id: Uuid,
    tenant_id: Uuid,
    run_id: Uuid,
    stage: String,
    status: String,
    error: Option<String>,
    trace_parent: Option<String>,
}

impl ExpiredRow {
    fn gave_up(&self) -> bool {
        self.status == JobState::Dead.as_str()
    }

    fn run_change(&self) -> Result<RunChange, StoreError> {
        let stage = Some(parse_stage(self.stage.clone())?);
        let error = self.error.clone().unwrap_or_default();
        Ok(RunChange::Failed { stage, error, code: None })
    }

    fn audit(&self) -> SystemEntry {
        let entry = AuditEntry {
            action: if self.gave_up() {
                AuditAction::JobFailed
            } else {
                AuditAction::JobRetryScheduled
            },
            entity: Entity::Job(JobId(self.job_id)),
            detail: json!({ "run_id": self.run_id, "stage": self.stage, "error": self.error }),
        };
        SystemEntry::new(TenantId(self.tenant_id), entry, self.trace_parent.as_deref())
    }
}

impl AcrossTenants {
    /// Claims as many jobs as there is room for; what is claimed is the worker's until its lease
    /// runs out.
    pub async fn claim_jobs(&mut self, claim: &Claim<'_>) -> Result<Vec<ClaimedJob>, StoreError> {
        let stages: Vec<&str> = claim.rooms.iter().map(|room| room.stage.as_str()).collect();
        let rooms: Vec<i32> =
            claim.rooms.iter().map(|room| i32::try_from(room.room).unwrap_or(i32::MAX)).collect();
        let last: Vec<Uuid> = claim.rooms.iter().map(|room| room.last_tenant.0).collect();
        let lease_ends: Vec<DateTime<Utc>> =
            claim.rooms.iter().map(|room| room.lease_until).collect();
        let is_reserved: Vec<bool> = claim.rooms.iter().map(|room| room.is_reserved).collect();
        let room_of = |is_reserved: bool| {
            let rooms = claim.rooms.iter().filter(|room| room.is_reserved == is_reserved);
            rooms.map(|room| room.room).sum::<usize>()
        };
        let most = room_of(false).min(claim.most);
        let tokens: Vec<Uuid> = (0..most + room_of(true)).map(|_| self.next_id()).collect();
        let rows: Vec<ClaimedRow> = sqlx::query_as(sql!("jobs/claim"))
            .bind(stages)
            .bind(rooms)
            .bind(last)
            .bind(lease_ends)
            .bind(claim.now)
            .bind(claim.worker_id)
            .bind(tokens)
            .bind(claim.busy_tenants.iter().map(|tenant| tenant.0).collect::<Vec<_>>())
            .bind(is_reserved)
            .bind(i32::try_from(most).unwrap_or(i32::MAX))
            .fetch_all(self.connection())
            .await?;
        self.take_claimed(rows, claim.worker_id, claim.now).await
    }

    /// The jobs of rows that a claim gave, and what goes with every claim, in its transaction.
    pub(super) async fn take_claimed(
        &mut self,
        rows: Vec<ClaimedRow>,
        worker_id: &str,
        now: DateTime<Utc>,
    ) -> Result<Vec<ClaimedJob>, StoreError> {
        let starting = rows.iter().filter(|row| row.starts_run);
        let changes: Vec<_> = starting.map(|row| (RunId(row.run_id), RunChange::Started)).collect();
        move_runs(self.writing(now), &changes, Vec::new()).await?;
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

    /// Prolongs each lease up to its moment; returns those that are lost.
    pub async fn prolong_leases(
        &mut self,
        held: &[(Held, DateTime<Utc>)],
        now: DateTime<Utc>,
    ) -> Result<Vec<Held>, StoreError> {
        let ids: Vec<Uuid> = held.iter().map(|(held, _)| held.job_id.0).collect();
        let tokens: Vec<Uuid> = held.iter().map(|(held, _)| held.token.0).collect();
        let ends: Vec<DateTime<Utc>> = held.iter().map(|(_, until)| *until).collect();
        let lost: Vec<(Uuid, Uuid)> = sqlx::query_as(sql!("jobs/heartbeat"))
            .bind(ids)
            .bind(tokens)
            .bind(ends)
            .bind(now)
            .fetch_all(self.connection())
            .await?;
        let held = |(job, token)| Held { job_id: JobId(job), token: LeaseToken(token) };
        Ok(lost.into_iter().map(held).collect())
    }

    /// Notes how far jobs are, for those who follow to read. What is not the worker's any more is left out.
    pub async fn tell_progress(
        &mut self,
        told: &[Told],
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let ids: Vec<Uuid> = told.iter().map(|told| told.held.job_id.0).collect();
        let tokens: Vec<Uuid> = told.iter().map(|told| told.held.token.0).collect();
        let number = |count: u32| i32::try_from(count).unwrap_or(i32::MAX);
        let done: Vec<i32> = told.iter().map(|told| number(told.done)).collect();
        let total: Vec<i32> = told.iter().map(|told| number(told.total)).collect();
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

    /// Reports on many jobs at once; returns the leases whose report counted. The others were no
    /// longer the reporter's: a worker may hold the same job twice, once in vain.
    pub async fn settle_jobs(
        &mut self,
        reports: &[Report],
        now: DateTime<Utc>,
    ) -> Result<Vec<Held>, StoreError> {
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
        let outcomes: HashMap<Held, &Outcome> =
            reports.iter().map(|report| (report.held, &report.outcome)).collect();
        let mut changes = Vec::new();
        let mut told = Vec::new();
        for row in &rows {
            let Some(outcome) = outcomes.get(&row.held()) else { continue };
            changes.extend(row.run_change(outcome)?.map(|change| (RunId(row.run_id), change)));
            told.extend(row.pause(outcome)?.map(|event| (TenantId(row.tenant_id), event)));
            let Outcome::Succeeded { output, .. } = outcome else { continue };
            let run = (TenantId(row.tenant_id), DocId(row.doc_id), RunId(row.run_id));
            for effect in &output.effects {
                match effect {
                    Effect::Chunks(chunks) => self.insert_chunks(run, chunks, now).await?,
                }
            }
        }
        move_runs(self.writing(now), &changes, told).await?;
        let moved: Vec<Uuid> = changes.iter().map(|(run_id, _)| run_id.0).collect();
        self.describe_served(&moved).await?;
        let working: BTreeSet<&str> =
            rows.iter().filter_map(|row| row.works_again.as_deref()).collect();
        if !working.is_empty() {
            self.wake_paused(&working.into_iter().collect::<Vec<_>>(), now).await?;
        }
        if rows.iter().any(|row| row.work_waits) {
            announce_work(self.connection()).await?;
        }
        Ok(rows.iter().map(SettledRow::held).collect())
    }

    /// Takes back jobs whose lease has run out, at most `most` of them. After some expiries each waits a while
    /// ([`RetryPolicy::LOST_WORKER`]); with `allowed_expiries` it is given up.
    pub async fn take_back_expired(
        &mut self,
        now: DateTime<Utc>,
        allowed_expiries: u32,
        most: u32,
    ) -> Result<Vec<TakenBack>, StoreError> {
        let delays = RetryPolicy::LOST_WORKER.delays().iter().map(Duration::as_secs_f64);
        let rows: Vec<ExpiredRow> = sqlx::query_as(sql!("jobs/expire"))
            .bind(now)
            .bind(i32::try_from(allowed_expiries).unwrap_or(i32::MAX))
            .bind(i64::from(most))
            .bind(delays.collect::<Vec<f64>>())
            .fetch_all(self.connection())
            .await?;
        let given_up = rows.iter().filter(|row| row.gave_up());
        let changes: Vec<(RunId, RunChange)> = given_up
            .map(|row| Ok((RunId(row.run_id), row.run_change()?)))
            .collect::<Result<_, StoreError>>()?;
        move_runs(self.writing(now), &changes, Vec::new()).await?;
        self.append_audit_many(now, rows.iter().map(ExpiredRow::audit)).await?;
        if rows.iter().any(|row| !row.gave_up()) {
            announce_work(self.connection()).await?;
        }
        let taken = |row: &ExpiredRow| TakenBack {
            job_id: JobId(row.job_id),
            tenant_id: TenantId(row.tenant_id),
            gave_up: row.gave_up(),
        };
        Ok(rows.iter().map(taken).collect())
    }

    #[cfg(not(feature = "sabotage"))]
    #[expect(clippy::unused_self, reason = "with the feature, the answer depends on the store")]
    fn settle_statement(&self) -> &'static str {
        sql!("jobs/settle")
    }

    /// With the fence taken down, for the simulation to prove that it would notice.
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
