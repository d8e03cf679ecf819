//! The reports of workers on their jobs, and the arrays that the statement takes which settles them.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use domain::{Dependency, Failure, FailureCode, JobId, LeaseToken, StageName, StageOutput};
use serde_json::Value;
use uuid::Uuid;

use super::LeaseRef;
use crate::storable;

/// How a job ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    Succeeded {
        output: Arc<StageOutput>,
        next: Option<NextJob>,
    },
    /// The job is retried, not before this moment.
    RetryScheduled {
        failure: Failure,
        not_before: DateTime<Utc>,
    },
    /// A dependency does not work: the job is tried again, not before this moment, without using up a retry.
    Paused {
        failure: Failure,
        dependency: Dependency,
        not_before: DateTime<Utc>,
    },
    /// The job is dead.
    Failed {
        failure: Failure,
    },
    /// A worker that stops released the job without running it.
    Released,
}

/// The job of the next stage.
#[derive(Clone, Debug)]
pub struct NextJob {
    pub stage: StageName,
    pub job_id: JobId,
    /// The lease, when the reporting worker continues with it.
    pub lease: Option<Lease>,
    /// How often it may be retried.
    pub retries: u32,
}

/// A new lease.
#[derive(Clone, Copy, Debug)]
pub struct Lease {
    pub token: LeaseToken,
    pub until: DateTime<Utc>,
}

#[derive(Clone, Debug)]
pub struct Report {
    pub lease: LeaseRef,
    pub outcome: Outcome,
}

/// The reports as one array per column.
#[derive(Default)]
pub(super) struct ReportColumns {
    pub(super) job_ids: Vec<Uuid>,
    pub(super) tokens: Vec<Uuid>,
    pub(super) outcomes: Vec<&'static str>,
    pub(super) not_before: Vec<Option<DateTime<Utc>>>,
    pub(super) errors: Vec<Option<String>>,
    pub(super) classes: Vec<Option<&'static str>>,
    pub(super) guidance: Vec<Option<String>>,
    pub(super) artifacts: Vec<Option<Value>>,
    pub(super) stats: Vec<Option<Value>>,
    pub(super) next_stages: Vec<Option<String>>,
    pub(super) next_job_ids: Vec<Option<Uuid>>,
    pub(super) next_tokens: Vec<Option<Uuid>>,
    pub(super) next_lease_ends: Vec<Option<DateTime<Utc>>>,
    pub(super) next_retries: Vec<Option<i32>>,
    pub(super) codes: Vec<Option<&'static str>>,
    pub(super) waits_for: Vec<Option<&'static str>>,
}

impl ReportColumns {
    pub(super) fn of(reports: &[Report]) -> Self {
        let mut columns = Self::default();
        for report in reports {
            columns.job_ids.push(report.lease.job_id.0);
            columns.tokens.push(report.lease.token.0);
            columns.push_outcome(&report.outcome);
        }
        columns
    }

    fn push_outcome(&mut self, outcome: &Outcome) {
        let (name, failure, not_before, next) = match outcome {
            Outcome::Succeeded { next, .. } => ("succeeded", None, None, next.as_ref()),
            Outcome::RetryScheduled { failure, not_before } => {
                ("retry_scheduled", Some(failure), Some(*not_before), None)
            }
            Outcome::Paused { failure, not_before, .. } => {
                ("paused", Some(failure), Some(*not_before), None)
            }
            Outcome::Failed { failure } => ("failed", Some(failure), None, None),
            Outcome::Released => ("released", None, None, None),
        };
        let output = match outcome {
            Outcome::Succeeded { output, .. } => Some(output),
            _ => None,
        };
        self.outcomes.push(name);
        self.waits_for.push(match outcome {
            Outcome::Paused { dependency, .. } => Some(dependency.as_str()),
            _ => None,
        });
        self.not_before.push(not_before);
        self.errors.push(failure.map(|failure| storable::text(&failure.error).into_owned()));
        self.classes.push(failure.map(|failure| failure.class.as_str()));
        self.codes.push(failure.and_then(|failure| failure.code).map(FailureCode::as_str));
        self.guidance.push(failure.map(|failure| storable::text(&failure.guidance).into_owned()));
        self.artifacts.push(output.map(|output| storable::json(&output.artifacts)));
        self.stats.push(output.map(|output| storable::json(&output.stats.stored())));
        self.next_stages.push(next.map(|next| next.stage.to_string()));
        self.next_job_ids.push(next.map(|next| next.job_id.0));
        let lease = next.and_then(|next| next.lease);
        self.next_tokens.push(lease.map(|lease| lease.token.0));
        self.next_lease_ends.push(lease.map(|lease| lease.until));
        self.next_retries.push(next.map(|next| i32::try_from(next.retries).unwrap_or(i32::MAX)));
    }
}
