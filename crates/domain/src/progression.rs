//! Decides what follows from a change of a run: which version is active, the status of its document and its batches, and
//! which events are published.
//!
//! The stage `index` activates the version of the run, which replaces the earlier active version. It stays active
//! whatever the later stages do. A run without the stage `index` activates its version when it ends.
//!
//! - A version is **searchable** while it has chunks. The version of a run that passed `index` has the chunks of that
//!   run. Any other version (of a rerun from a later stage, or of a pipeline without `index`) uses the chunks of an
//!   earlier version of the same content under the same masks. Where there is none, the version is listed but not
//!   searchable: search must not find chunks of other content, or of text that is masked now.
//! - A run is **outdated** when the active version belongs to a run that was created later. An outdated run activates
//!   nothing, because the later run may have masked what this one read.
//!
//! All functions here are pure. `store/src/jobs/progression.rs` reads the facts under locks and writes the decisions.

use chrono::{DateTime, Utc};

use crate::string_enum::string_enum;
use crate::{
    BatchEnd, BatchId, DocId, DocumentStatus, Event, FailureCode, IllegalTransition, RunEnd,
    RunEvent, RunId, RunState, StageName,
};

/// What happened to a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunChange {
    /// A worker claimed a job of a run that was queued.
    Started,
    /// The stage `index` succeeded, and others follow.
    Indexed,
    /// All stages have succeeded. `stage` is the last one, unless the run is closed afterwards.
    Succeeded {
        stage: Option<StageName>,
    },
    Failed {
        stage: Option<StageName>,
        error: String,
        code: Option<FailureCode>,
    },
    /// Its dead job was requeued.
    Retried,
}

impl RunChange {
    pub fn event(&self) -> RunEvent {
        match self {
            Self::Started => RunEvent::Started,
            Self::Indexed => RunEvent::Indexed,
            Self::Succeeded { .. } => RunEvent::Succeeded,
            Self::Failed { .. } => RunEvent::Failed,
            Self::Retried => RunEvent::Retried,
        }
    }

    /// Whether it may activate a version.
    pub fn may_activate(&self) -> bool {
        matches!(self, Self::Indexed | Self::Succeeded { .. })
    }

    /// Whether the run has chunks of its own from now on.
    fn is_indexed(&self) -> bool {
        match self {
            Self::Indexed => true,
            Self::Succeeded { stage } => *stage == Some(StageName::INDEX),
            Self::Started | Self::Failed { .. } | Self::Retried => false,
        }
    }
}

/// A run before the change.
#[derive(Clone, Debug)]
pub struct ChangingRun {
    pub run_id: RunId,
    pub doc_id: DocId,
    pub state: RunState,
    pub created_at: DateTime<Utc>,
    /// A run without content has no version.
    pub has_content: bool,
    /// Its version was activated before. Later changes of the run do not affect it.
    pub has_version: bool,
    /// The run that created the chunks of an earlier version of the same content under the same masks.
    pub earlier_chunks: Option<RunId>,
}

/// The document of a changing run. [`ChangingRun::apply`] updates it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangingDocument {
    /// `Active` exactly when it has an active version.
    pub status: DocumentStatus,
    pub error: Option<String>,
    pub is_deleted: bool,
    /// When the latest run was created whose version is or was active.
    pub served_run_created_at: Option<DateTime<Utc>>,
    /// How many versions it has.
    pub versions: u32,
}

/// A version to be inserted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewVersion {
    pub run_id: RunId,
    pub doc_id: DocId,
    pub label: String,
    pub is_active: bool,
    /// The run that created its chunks; `None`: it is not searchable.
    pub chunks_run_id: Option<RunId>,
}

/// The consequences of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunTransition {
    pub state: RunState,
    pub version: Option<NewVersion>,
    pub event: Option<Event>,
}

impl ChangingRun {
    /// Applies the change to the run, and updates its document. Runs of the queue's own tests have no document.
    pub fn apply(
        &self,
        change: &RunChange,
        document: Option<&mut ChangingDocument>,
    ) -> Result<RunTransition, IllegalTransition> {
        let state = self.state.apply(change.event())?;
        let has_document = document.is_some();
        let version = document.and_then(|document| {
            let version = self.activate(change, document);
            document.update(self, state, change);
            version
        });
        let event = match change {
            RunChange::Started if self.state == RunState::Queued && has_document => {
                Some(Event::DocumentStarted { doc_id: self.doc_id, run_id: self.run_id })
            }
            RunChange::Succeeded { stage } => {
                Some(Event::DocumentCompleted(self.end(stage.as_ref(), None, None)))
            }
            RunChange::Failed { stage, error, code } => {
                Some(Event::DocumentFailed(self.end(stage.as_ref(), Some(error), *code)))
            }
            RunChange::Started | RunChange::Indexed | RunChange::Retried => None,
        };
        Ok(RunTransition { state, version, event })
    }

    fn activate(&self, change: &RunChange, document: &mut ChangingDocument) -> Option<NewVersion> {
        if !change.may_activate() || self.has_version || !self.has_content {
            return None;
        }
        let is_active = !document.is_deleted && !document.serves_later_than(self);
        if is_active {
            document.status = DocumentStatus::Active;
            document.served_run_created_at = Some(self.created_at);
        }
        document.versions += 1;
        Some(NewVersion {
            run_id: self.run_id,
            doc_id: self.doc_id,
            label: format!("v{}", document.versions),
            is_active,
            chunks_run_id: if change.is_indexed() {
                Some(self.run_id)
            } else {
                self.earlier_chunks
            },
        })
    }

    fn end(
        &self,
        stage: Option<&StageName>,
        error: Option<&String>,
        code: Option<FailureCode>,
    ) -> RunEnd {
        let (doc_id, run_id) = (self.doc_id, self.run_id);
        RunEnd { doc_id, run_id, stage: stage.cloned(), error: error.cloned(), code }
    }
}

impl ChangingDocument {
    fn serves_later_than(&self, run: &ChangingRun) -> bool {
        self.served_run_created_at.is_some_and(|served| served > run.created_at)
    }

    /// An active document stays active whatever a later run does, and a deleted one stays deleted. A document that was
    /// withdrawn after its version was activated stays withdrawn while the run continues.
    fn update(&mut self, run: &ChangingRun, state: RunState, change: &RunChange) {
        self.status = match (self.status, state) {
            _ if self.is_deleted => DocumentStatus::Inactive,
            (DocumentStatus::Active, _) => DocumentStatus::Active,
            (status, _) if run.has_version => status,
            // The version of a later run was withdrawn since then.
            (_, RunState::Running | RunState::Succeeded) if self.serves_later_than(run) => {
                DocumentStatus::Inactive
            }
            (_, RunState::Queued) => DocumentStatus::Uploaded,
            (_, RunState::Running) => DocumentStatus::Processing,
            (_, RunState::Failed) => DocumentStatus::Failed,
            (status, RunState::Succeeded) => status,
        };
        self.error = match change {
            RunChange::Failed { error, .. } if !self.is_deleted => Some(error.clone()),
            _ => None,
        };
    }
}

string_enum! {
    "status of a batch"
    /// The status of a batch.
    pub enum BatchStatus {
        /// No file has been uploaded yet.
        Open = "open",
        Processing = "processing",
        /// All documents succeeded.
        Completed = "completed",
        /// All documents have ended; some failed or were refused.
        Partial = "partial",
    }
}

impl BatchStatus {
    pub fn is_over(self) -> bool {
        matches!(self, Self::Completed | Self::Partial)
    }
}

/// The counts of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchCounts {
    /// How many files will be uploaded, if it is known.
    pub expected: Option<i32>,
    pub offered: i32,
    pub refused: i32,
    pub documents: i32,
    pub succeeded: i32,
    pub failed: i32,
}

impl BatchCounts {
    /// A batch ends with its last document; where the number of files is known, not before all of them were uploaded.
    pub fn status(&self) -> BatchStatus {
        if self.offered == 0 {
            return BatchStatus::Open;
        }
        let all_ended = self.succeeded + self.failed >= self.documents;
        if !all_ended || self.offered < self.expected.unwrap_or(0) {
            BatchStatus::Processing
        } else if self.failed == 0 && self.refused == 0 {
            BatchStatus::Completed
        } else {
            BatchStatus::Partial
        }
    }

    /// The event of a batch that has ended.
    pub fn end_event(&self, batch_id: BatchId) -> Option<Event> {
        let &Self { documents, succeeded, failed, refused, .. } = self;
        let end = BatchEnd { batch_id, documents, succeeded, failed, refused };
        match self.status() {
            BatchStatus::Completed => Some(Event::BatchCompleted(end)),
            BatchStatus::Partial => Some(Event::BatchPartial(end)),
            BatchStatus::Open | BatchStatus::Processing => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn run(number: u128, state: RunState) -> ChangingRun {
        ChangingRun {
            run_id: RunId(Uuid::from_u128(number)),
            doc_id: DocId(Uuid::from_u128(100)),
            state,
            created_at: at(number),
            has_content: true,
            has_version: false,
            earlier_chunks: None,
        }
    }

    fn at(seconds: u128) -> DateTime<Utc> {
        DateTime::from_timestamp(i64::try_from(seconds).unwrap(), 0).unwrap()
    }

    fn document(status: DocumentStatus) -> ChangingDocument {
        ChangingDocument {
            status,
            error: None,
            is_deleted: false,
            served_run_created_at: None,
            versions: 0,
        }
    }

    fn succeeded(stage: &str) -> RunChange {
        RunChange::Succeeded { stage: stage.parse().ok() }
    }

    fn failed() -> RunChange {
        RunChange::Failed { stage: "match".parse().ok(), error: "torn".to_owned(), code: None }
    }

    #[test]
    fn index_activates_and_a_later_failure_leaves_the_version_active() {
        let mut served = document(DocumentStatus::Processing);
        let run = run(7, RunState::Running);
        let indexed = run.apply(&RunChange::Indexed, Some(&mut served)).unwrap();
        let version = indexed.version.unwrap();
        assert_eq!((indexed.state, indexed.event), (RunState::Running, None));
        assert_eq!((version.is_active, version.chunks_run_id), (true, Some(run.run_id)));
        assert_eq!(served.status, DocumentStatus::Active);

        let run = ChangingRun { has_version: true, ..run };
        let failed = run.apply(&failed(), Some(&mut served)).unwrap();
        assert_eq!((failed.state, failed.version), (RunState::Failed, None));
        assert_eq!(
            (served.status, served.error.as_deref()),
            (DocumentStatus::Active, Some("torn"))
        );
    }

    #[test]
    fn a_version_is_not_activated_again_by_the_end_of_its_run() {
        let mut withdrawn = document(DocumentStatus::Inactive);
        let changes = [
            (RunState::Running, failed()),
            (RunState::Failed, RunChange::Retried),
            (RunState::Running, succeeded("package")),
        ];
        for (state, change) in changes {
            let run = ChangingRun { has_version: true, ..run(7, state) };
            let transition = run.apply(&change, Some(&mut withdrawn)).unwrap();
            assert_eq!((transition.version, withdrawn.status), (None, DocumentStatus::Inactive));
        }
    }

    #[test]
    fn without_index_the_end_activates_with_the_chunks_of_the_same_content_or_none() {
        let of_same_content = Some(RunId(Uuid::from_u128(1)));
        for earlier_chunks in [None, of_same_content] {
            let mut document = document(DocumentStatus::Processing);
            let run = ChangingRun { earlier_chunks, ..run(7, RunState::Running) };
            let ended = run.apply(&succeeded("ingest"), Some(&mut document)).unwrap();
            let version = ended.version.unwrap();
            assert_eq!((version.is_active, version.chunks_run_id), (true, earlier_chunks));
            assert_eq!(version.label, "v1");
        }
    }

    #[test]
    fn neither_a_deleted_document_nor_an_outdated_run_becomes_active() {
        let mut deleted =
            ChangingDocument { is_deleted: true, ..document(DocumentStatus::Inactive) };
        let ended = run(7, RunState::Running).apply(&RunChange::Indexed, Some(&mut deleted));
        assert!(!ended.unwrap().version.unwrap().is_active);
        assert_eq!(deleted.status, DocumentStatus::Inactive);

        let mut newer = document(DocumentStatus::Active);
        newer.served_run_created_at = Some(at(8));
        let ended = run(7, RunState::Running).apply(&RunChange::Indexed, Some(&mut newer));
        assert!(!ended.unwrap().version.unwrap().is_active);
        assert_eq!(newer.served_run_created_at, Some(at(8)));
    }

    #[test]
    fn of_two_runs_that_end_at_once_the_one_created_later_becomes_active() {
        let mut document = document(DocumentStatus::Processing);
        let later = run(8, RunState::Running).apply(&succeeded("index"), Some(&mut document));
        let earlier = run(7, RunState::Running).apply(&succeeded("index"), Some(&mut document));
        let [later, earlier] = [later, earlier].map(|ended| ended.unwrap().version.unwrap());
        assert_eq!((later.is_active, later.label.as_str()), (true, "v1"));
        assert_eq!((earlier.is_active, earlier.label.as_str()), (false, "v2"));
    }

    #[test]
    fn a_document_without_an_active_version_has_the_status_of_its_run() {
        let mut document = document(DocumentStatus::Uploaded);
        let queued = run(7, RunState::Queued);
        let started = queued.apply(&RunChange::Started, Some(&mut document)).unwrap();
        assert!(matches!(started.event, Some(Event::DocumentStarted { .. })));
        assert_eq!(document.status, DocumentStatus::Processing);
        let failed = run(7, RunState::Running).apply(&failed(), Some(&mut document)).unwrap();
        assert_eq!(document.status, DocumentStatus::Failed);
        assert_eq!(document.error.as_deref(), Some("torn"));
        let run = ChangingRun { state: failed.state, ..queued };
        let retried = run.apply(&RunChange::Retried, Some(&mut document)).unwrap();
        assert_eq!((retried.state, retried.event), (RunState::Running, None));
        assert_eq!((document.status, document.error), (DocumentStatus::Processing, None));
    }

    #[test]
    fn an_ended_run_cannot_end_again() {
        let mut document = document(DocumentStatus::Active);
        let before = document.clone();
        for state in [RunState::Succeeded, RunState::Failed] {
            for change in [succeeded("index"), failed(), RunChange::Indexed] {
                assert!(run(7, state).apply(&change, Some(&mut document)).is_err());
            }
        }
        assert_eq!(document, before);
    }

    #[test]
    fn a_batch_ends_with_its_last_document_and_its_last_file() {
        let status = |expected, offered, refused, documents, succeeded, failed| {
            BatchCounts { expected, offered, refused, documents, succeeded, failed }
                .status()
                .as_str()
        };
        assert_eq!(status(None, 0, 0, 0, 0, 0), "open");
        assert_eq!(status(None, 2, 0, 2, 1, 0), "processing");
        assert_eq!(status(None, 2, 0, 2, 2, 0), "completed");
        assert_eq!(status(None, 2, 0, 2, 1, 1), "partial");
        assert_eq!(status(None, 2, 1, 1, 1, 0), "partial", "one was refused");
        assert_eq!(status(None, 1, 1, 0, 0, 0), "partial", "all were refused");
        assert_eq!(status(Some(3), 2, 0, 2, 2, 0), "processing", "one file is missing");
        assert_eq!(status(Some(2), 2, 0, 1, 1, 0), "completed", "the same content twice");
    }
}
