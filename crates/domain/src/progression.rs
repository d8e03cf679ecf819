//! What follows when a run moves: which version is served, where its document and its batches stand, what is told.
//!
//! The stage `index` activates: with it the version of the run is served instead of the one before, and whatever
//! becomes of the stages after it, it stays served. A run that does not pass `index` itself activates at its end.
//!
//! - A version is **searchable** while it has chunks. The version of a run that passed `index` has the chunks of that
//!   run; any other takes over those of an earlier version that was read from the same content under the same masks
//!   (a rerun from a later stage, or with a pipeline without `index`). Where there is none it is listed and not
//!   searchable: chunks of other content, or of text that is masked now, must not be found.
//! - A run is **outdated** when the version that is served belongs to a run that was asked for later: it takes nothing
//!   back, because the later one may have masked what this one read.
//!
//! Everything here is pure. `store/src/jobs/progression.rs` reads the facts under locks and writes what is decided.

use chrono::{DateTime, Utc};

use crate::words::words;
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
    /// All stages are done; the last one, where it ended the run just now.
    Succeeded {
        stage: Option<StageName>,
    },
    Failed {
        stage: Option<StageName>,
        error: String,
        code: Option<FailureCode>,
    },
    /// Its dead job starts afresh.
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

    /// Whether a version may be served because of it.
    pub fn may_activate(&self) -> bool {
        matches!(self, Self::Indexed | Self::Succeeded { .. })
    }

    /// Whether the run has just got chunks of its own.
    fn is_indexed(&self) -> bool {
        match self {
            Self::Indexed => true,
            Self::Succeeded { stage } => *stage == Some(StageName::INDEX),
            Self::Started | Self::Failed { .. } | Self::Retried => false,
        }
    }
}

/// A run, before it moves.
#[derive(Clone, Debug)]
pub struct MovingRun {
    pub run_id: RunId,
    pub doc_id: DocId,
    pub state: RunState,
    pub created_at: DateTime<Utc>,
    /// Without content there is nothing that could be served.
    pub has_content: bool,
    /// It was activated before: what became of its version since is not this run's business.
    pub has_version: bool,
    /// The run that made the chunks of an earlier version of the same content under the same masks.
    pub earlier_chunks: Option<RunId>,
}

/// A document, before a run of it moves; afterwards, after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FollowingDocument {
    /// `Active` exactly when it has an active version.
    pub status: DocumentStatus,
    pub error: Option<String>,
    pub is_deleted: bool,
    /// When the latest run was asked for whose version is or was served.
    pub served_run_created_at: Option<DateTime<Utc>>,
    /// How many versions it has.
    pub versions: u32,
}

/// A version about to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewVersion {
    pub run_id: RunId,
    pub doc_id: DocId,
    pub label: String,
    pub is_active: bool,
    /// The run that made its chunks; `None`: it is not searchable.
    pub chunks_run_id: Option<RunId>,
}

/// What follows when a run moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    pub state: RunState,
    pub version: Option<NewVersion>,
    pub event: Option<Event>,
}

impl MovingRun {
    /// Moves the run, and its document with it. Runs of the queue's own tests have no document.
    pub fn follow(
        &self,
        change: &RunChange,
        document: Option<&mut FollowingDocument>,
    ) -> Result<Move, IllegalTransition> {
        let state = self.state.apply(change.event())?;
        let has_document = document.is_some();
        let version = document.and_then(|document| {
            let version = self.activate(change, document);
            document.follow(self, state, change);
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
        Ok(Move { state, version, event })
    }

    fn activate(&self, change: &RunChange, document: &mut FollowingDocument) -> Option<NewVersion> {
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

impl FollowingDocument {
    fn serves_later_than(&self, run: &MovingRun) -> bool {
        self.served_run_created_at.is_some_and(|served| served > run.created_at)
    }

    /// What is served stays so whatever a later run does; what was deleted stays deleted; and what was withdrawn after
    /// it was activated stays withdrawn, though the run goes on.
    fn follow(&mut self, run: &MovingRun, state: RunState, change: &RunChange) {
        self.status = match (self.status, state) {
            _ if self.is_deleted => DocumentStatus::Inactive,
            (DocumentStatus::Active, _) => DocumentStatus::Active,
            (status, _) if run.has_version => status,
            // What a later run served was withdrawn since.
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

words! {
    "status of a batch"
    /// Where a batch stands.
    pub enum BatchStatus {
        /// No file has come yet.
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

/// What a batch has counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchCounts {
    /// How many files will come, where it is known.
    pub expected: Option<i32>,
    pub offered: i32,
    pub refused: i32,
    pub documents: i32,
    pub succeeded: i32,
    pub failed: i32,
}

impl BatchCounts {
    /// A batch is over with its last document; where the number of files is known, not before all of them came.
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

    /// What is told of a batch that is over.
    pub fn end(&self, batch_id: BatchId) -> Option<Event> {
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

    fn run(number: u128, state: RunState) -> MovingRun {
        MovingRun {
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

    fn document(status: DocumentStatus) -> FollowingDocument {
        FollowingDocument {
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
    fn index_activates_and_a_later_failure_leaves_the_version_served() {
        let mut served = document(DocumentStatus::Processing);
        let run = run(7, RunState::Running);
        let indexed = run.follow(&RunChange::Indexed, Some(&mut served)).unwrap();
        let version = indexed.version.unwrap();
        assert_eq!((indexed.state, indexed.event), (RunState::Running, None));
        assert_eq!((version.is_active, version.chunks_run_id), (true, Some(run.run_id)));
        assert_eq!(served.status, DocumentStatus::Active);

        let run = MovingRun { has_version: true, ..run };
        let failed = run.follow(&failed(), Some(&mut served)).unwrap();
        assert_eq!((failed.state, failed.version), (RunState::Failed, None));
        assert_eq!(
            (served.status, served.error.as_deref()),
            (DocumentStatus::Active, Some("torn"))
        );
    }

    #[test]
    fn what_is_activated_once_is_not_activated_again_by_the_end_of_its_run() {
        let mut withdrawn = document(DocumentStatus::Inactive);
        let changes = [
            (RunState::Running, failed()),
            (RunState::Failed, RunChange::Retried),
            (RunState::Running, succeeded("package")),
        ];
        for (state, change) in changes {
            let run = MovingRun { has_version: true, ..run(7, state) };
            let moved = run.follow(&change, Some(&mut withdrawn)).unwrap();
            assert_eq!((moved.version, withdrawn.status), (None, DocumentStatus::Inactive));
        }
    }

    #[test]
    fn without_index_the_end_activates_with_the_chunks_of_the_same_text_or_none() {
        let of_text = Some(RunId(Uuid::from_u128(1)));
        for earlier_chunks in [None, of_text] {
            let mut document = document(DocumentStatus::Processing);
            let run = MovingRun { earlier_chunks, ..run(7, RunState::Running) };
            let ended = run.follow(&succeeded("ingest"), Some(&mut document)).unwrap();
            let version = ended.version.unwrap();
            assert_eq!((version.is_active, version.chunks_run_id), (true, earlier_chunks));
            assert_eq!(version.label, "v1");
        }
    }

    #[test]
    fn neither_a_deleted_document_nor_an_outdated_run_is_served() {
        let mut deleted =
            FollowingDocument { is_deleted: true, ..document(DocumentStatus::Inactive) };
        let ended = run(7, RunState::Running).follow(&RunChange::Indexed, Some(&mut deleted));
        assert!(!ended.unwrap().version.unwrap().is_active);
        assert_eq!(deleted.status, DocumentStatus::Inactive);

        let mut newer = document(DocumentStatus::Active);
        newer.served_run_created_at = Some(at(8));
        let ended = run(7, RunState::Running).follow(&RunChange::Indexed, Some(&mut newer));
        assert!(!ended.unwrap().version.unwrap().is_active);
        assert_eq!(newer.served_run_created_at, Some(at(8)));
    }

    #[test]
    fn of_two_runs_that_end_at_once_the_one_asked_for_later_is_served() {
        let mut document = document(DocumentStatus::Processing);
        let later = run(8, RunState::Running).follow(&succeeded("index"), Some(&mut document));
        let earlier = run(7, RunState::Running).follow(&succeeded("index"), Some(&mut document));
        let [later, earlier] = [later, earlier].map(|ended| ended.unwrap().version.unwrap());
        assert_eq!((later.is_active, later.label.as_str()), (true, "v1"));
        assert_eq!((earlier.is_active, earlier.label.as_str()), (false, "v2"));
    }

    #[test]
    fn a_document_that_is_not_served_follows_its_run() {
        let mut document = document(DocumentStatus::Uploaded);
        let queued = run(7, RunState::Queued);
        let started = queued.follow(&RunChange::Started, Some(&mut document)).unwrap();
        assert!(matches!(started.event, Some(Event::DocumentStarted { .. })));
        assert_eq!(document.status, DocumentStatus::Processing);
        let failed = run(7, RunState::Running).follow(&failed(), Some(&mut document)).unwrap();
        assert_eq!(document.status, DocumentStatus::Failed);
        assert_eq!(document.error.as_deref(), Some("torn"));
        let run = MovingRun { state: failed.state, ..queued };
        let retried = run.follow(&RunChange::Retried, Some(&mut document)).unwrap();
        assert_eq!((retried.state, retried.event), (RunState::Running, None));
        assert_eq!((document.status, document.error), (DocumentStatus::Processing, None));
    }

    #[test]
    fn a_run_that_has_ended_ends_no_second_time() {
        let mut document = document(DocumentStatus::Active);
        let before = document.clone();
        for state in [RunState::Succeeded, RunState::Failed] {
            for change in [succeeded("index"), failed(), RunChange::Indexed] {
                assert!(run(7, state).follow(&change, Some(&mut document)).is_err());
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
        assert_eq!(status(Some(3), 2, 0, 2, 2, 0), "processing", "one is to come");
        assert_eq!(status(Some(2), 2, 0, 1, 1, 0), "completed", "the same content twice");
    }
}
