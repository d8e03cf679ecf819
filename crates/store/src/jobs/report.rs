//! What a worker reports of its jobs, and how that is handed to the statement that settles them.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use domain::{Dependency, Failure, FailureCode, JobId, LeaseToken, NewChunks, StageName};
use serde_json::Value;
use uuid::Uuid;

use super::Held;
use crate::storable;

/// What became of a job.
#[derive(Clone, Debug)]
pub enum Outcome {
    Succeeded {
        artifacts: Value,
        /// What was counted: an object.
        stats: Value,
        /// What can be found of the document, should this be what is served.
        chunks: Option<Arc<NewChunks>>,
        next: Option<Next>,
    },
    /// To be tried again, not before the moment.
    PutOff {
        failure: Failure,
        not_before: DateTime<Utc>,
    },
    /// To be tried again, not before the moment, without using up a retry: a dependency did not work.
    Paused {
        failure: Failure,
        dependency: Dependency,
        not_before: DateTime<Utc>,
    },
    GivenUp {
        failure: Failure,
    },
    /// Handed back untouched by a worker that stops.
    Released,
}

/// The job of the stage that follows.
#[derive(Clone, Debug)]
pub struct Next {
    pub stage: StageName,
    pub job_id: JobId,
    /// The lease, when the reporter goes on with it.
    pub lease: Option<Lease>,
    /// How often it may be retried.
    pub retries: u32,
}

/// A lease about to begin.
#[derive(Clone, Copy, Debug)]
pub struct Lease {
    pub token: LeaseToken,
    pub until: DateTime<Utc>,
}

#[derive(Clone, Debug)]
pub struct Report {
    pub held: Held,
    pub outcome: Outcome,
}

/// Reports turned on their side, as the statement takes them.
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
            columns.job_ids.push(report.held.job_id.0);
            columns.tokens.push(report.held.token.0);
            columns.push_outcome(&report.outcome);
        }
        columns
    }

    fn push_outcome(&mut self, outcome: &Outcome) {
        let (word, failure, not_before, next) = match outcome {
            Outcome::Succeeded { next, .. } => ("succeeded", None, None, next.as_ref()),
            Outcome::PutOff { failure, not_before } => {
                ("put_off", Some(failure), Some(*not_before), None)
            }
            Outcome::Paused { failure, not_before, .. } => {
                ("paused", Some(failure), Some(*not_before), None)
            }
            Outcome::GivenUp { failure } => ("given_up", Some(failure), None, None),
            Outcome::Released => ("released", None, None, None),
        };
        let (artifacts, stats) = match outcome {
            Outcome::Succeeded { artifacts, stats, .. } => (Some(artifacts), Some(stats)),
            _ => (None, None),
        };
        self.outcomes.push(word);
        self.waits_for.push(match outcome {
            Outcome::Paused { dependency, .. } => Some(dependency.as_str()),
            _ => None,
        });
        self.not_before.push(not_before);
        self.errors.push(failure.map(|failure| storable::text(&failure.error).into_owned()));
        self.classes.push(failure.map(|failure| failure.class.as_str()));
        self.codes.push(failure.and_then(|failure| failure.code).map(FailureCode::as_str));
        self.guidance.push(failure.map(|failure| storable::text(&failure.guidance).into_owned()));
        self.artifacts.push(artifacts.cloned().map(storable::value));
        self.stats.push(stats.filter(|stats| stats.is_object()).cloned().map(storable::value));
        self.next_stages.push(next.map(|next| next.stage.to_string()));
        self.next_job_ids.push(next.map(|next| next.job_id.0));
        let lease = next.and_then(|next| next.lease);
        self.next_tokens.push(lease.map(|lease| lease.token.0));
        self.next_lease_ends.push(lease.map(|lease| lease.until));
        self.next_retries.push(next.map(|next| i32::try_from(next.retries).unwrap_or(i32::MAX)));
    }
}
