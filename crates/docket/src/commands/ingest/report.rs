//! The report of an upload: a line for each file and a summary, as text or JSON.

use std::collections::BTreeSet;
use std::sync::Arc;

use api_types::{BatchView, IngestResponse};
use serde_json::{Value, json};
use uuid::Uuid;

use super::progress::Progress;
use crate::client::short_id;
use crate::say::{complain, say};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    New,
    NewVersion,
    /// Uploaded before without a result: it failed or was deleted. It is processed again.
    Rerun,
    Skipped,
    InProgress,
    Failed,
}

impl Outcome {
    const ALL: [Self; 6] =
        [Self::New, Self::NewVersion, Self::Rerun, Self::Skipped, Self::InProgress, Self::Failed];

    /// The value in JSON; the text output shows it without the underscore.
    fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::NewVersion => "new_version",
            Self::Rerun => "rerun",
            Self::Skipped => "skipped",
            Self::InProgress => "in_progress",
            Self::Failed => "failed",
        }
    }

    fn words(self) -> String {
        self.as_str().replace('_', " ")
    }
}

/// The result of uploading a file.
#[derive(Clone, Debug)]
pub(super) struct UploadResult {
    pub(super) outcome: Outcome,
    pub(super) doc_id: Option<Uuid>,
    pub(super) run_id: Option<Uuid>,
    reason: Option<String>,
    uploaded_bytes: Option<u64>,
}

impl UploadResult {
    pub(super) fn accepted(answer: &IngestResponse, uploaded_bytes: u64) -> Self {
        let known =
            Outcome::ALL.into_iter().find(|outcome| outcome.as_str() == answer.dedup_result);
        Self {
            // A newer server may have more results; the file was accepted in any case.
            outcome: known.unwrap_or(Outcome::New),
            doc_id: Some(answer.doc_id),
            run_id: answer.run_id,
            reason: answer.reason.clone(),
            uploaded_bytes: Some(uploaded_bytes),
        }
    }

    /// Not uploaded, because it was uploaded before.
    pub(super) fn not_uploaded(outcome: Outcome, doc_id: Uuid, run_id: Option<Uuid>) -> Self {
        let reason = "uploaded before and not changed since; not uploaded again".to_owned();
        Self { outcome, doc_id: Some(doc_id), run_id, reason: Some(reason), uploaded_bytes: None }
    }

    pub(super) fn failed(why: impl ToString) -> Self {
        Self {
            outcome: Outcome::Failed,
            doc_id: None,
            run_id: None,
            reason: Some(why.to_string()),
            uploaded_bytes: None,
        }
    }
}

/// How the processing of a document ended.
#[derive(Clone, Debug)]
pub(super) enum Processed {
    Succeeded,
    Failed(String),
}

struct Line {
    shown: String,
    result: UploadResult,
    processed: Option<Processed>,
}

/// How the command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    Complete,
    /// By a signal.
    Interrupted,
    /// By an error, which is printed after the summary.
    Broken,
}

pub(super) struct Report {
    as_json: bool,
    files: usize,
    lines: Vec<Line>,
    /// The lines of files whose processing has not ended.
    unfinished: BTreeSet<usize>,
    progress: Arc<Progress>,
}

impl Report {
    pub(super) fn new(files: usize, as_json: bool, progress: Arc<Progress>) -> Self {
        Self { as_json, files, lines: Vec::new(), unfinished: BTreeSet::new(), progress }
    }

    /// Adds a file whose processing is not waited for.
    pub(super) fn add(&mut self, shown: String, result: UploadResult) {
        self.lines.push(Line { shown, result, processed: None });
        self.print(self.lines.len() - 1);
    }

    /// Adds a file whose processing is waited for, and returns its index.
    pub(super) fn add_pending(&mut self, shown: String, result: UploadResult) -> usize {
        self.lines.push(Line { shown, result, processed: None });
        let place = self.lines.len() - 1;
        self.unfinished.insert(place);
        place
    }

    /// Says that all files are uploaded, where no progress bars show it.
    pub(super) fn print_waiting(&self) {
        if !self.unfinished.is_empty() && !self.as_json && !self.progress.is_visible() {
            say(format_args!(
                "All files uploaded; waiting for {}",
                of("document", self.unfinished.len())
            ));
        }
    }

    pub(super) fn processed(&mut self, place: usize, processed: Processed) {
        self.unfinished.remove(&place);
        self.lines[place].processed = Some(processed);
        self.print(place);
    }

    pub(super) fn has_failures(&self) -> bool {
        self.lines.iter().any(|line| line.problem().is_some())
    }

    fn print(&self, place: usize) {
        let line = &self.lines[place];
        if self.as_json {
            say(line.as_json());
        } else if line.problem().is_none() {
            // Failures are listed at the end, where they are easy to see.
            self.progress.print_above(|| say(line.text()));
        }
    }

    pub(super) fn finish(&self, ending: Ending, batch: Option<&BatchView>) {
        self.progress.clear();
        for place in &self.unfinished {
            self.print(*place);
        }
        if self.as_json {
            say(self.summary(ending, batch));
        } else {
            self.print_summary(ending, batch);
        }
    }

    fn count(&self, outcome: Outcome) -> usize {
        self.lines.iter().filter(|line| line.result.outcome == outcome).count()
    }

    fn count_processed(&self) -> (usize, usize) {
        let count = |fits: fn(&Processed) -> bool| {
            self.lines
                .iter()
                .filter_map(|line| line.processed.as_ref())
                .filter(|it| fits(it))
                .count()
        };
        (
            count(|it| matches!(it, Processed::Succeeded)),
            count(|it| matches!(it, Processed::Failed(_))),
        )
    }

    fn known(&self) -> usize {
        let known =
            |line: &&Line| line.result.doc_id.is_some() && line.result.uploaded_bytes.is_none();
        self.lines.iter().filter(known).count()
    }

    fn summary(&self, ending: Ending, batch: Option<&BatchView>) -> Value {
        let (succeeded, failed) = self.count_processed();
        let uploaded = self.lines.iter().filter_map(|line| line.result.uploaded_bytes);
        let mut summary = json!({
            "files": self.files,
            "not_uploaded_again": self.known(),
            "uploaded_bytes": uploaded.sum::<u64>(),
            "not_uploaded": self.files - self.lines.len(),
            "processed": { "succeeded": succeeded, "failed": failed, "unfinished": self.unfinished.len() },
            "interrupted": ending == Ending::Interrupted,
            "batch_id": batch.map(|batch| batch.batch_id),
        });
        for outcome in Outcome::ALL {
            summary[outcome.as_str()] = json!(self.count(outcome));
        }
        json!({ "summary": summary })
    }

    fn print_summary(&self, ending: Ending, batch: Option<&BatchView>) {
        if self.files == 0 {
            say("No files found.");
            return;
        }
        let counts: Vec<String> = Outcome::ALL
            .into_iter()
            .filter(|outcome| self.count(*outcome) > 0)
            .map(|outcome| format!("{} {}", self.count(outcome), outcome.words()))
            .collect();
        let counts = if counts.is_empty() { "none uploaded".to_owned() } else { counts.join(", ") };
        say(format_args!("{}: {counts}", files(self.files)));
        match self.count_processed() {
            (0, 0) => {}
            (succeeded, 0) => say(format_args!("{succeeded} processed")),
            (succeeded, failed) => {
                say(format_args!("{succeeded} processed, {failed} failed in processing"));
            }
        }
        if self.known() > 0 {
            say(format_args!(
                "{} uploaded before and not changed since: not uploaded again (use --again to upload all)",
                files(self.known())
            ));
        }
        if let Some(batch) = batch {
            print_batch(batch);
        }
        if ending != Ending::Complete {
            self.print_rest();
        }
        for line in &self.lines {
            if let Some(problem) = line.problem() {
                complain(format_args!("{}: {problem}", line.shown));
            }
        }
    }

    fn print_rest(&self) {
        let (open, missing) = (self.unfinished.len(), self.files - self.lines.len());
        if open > 0 {
            say(format_args!("{} still being processed", of("document", open)));
        }
        if missing > 0 {
            say(format_args!(
                "{} not uploaded; run the same command again to continue",
                files(missing)
            ));
        }
    }
}

impl Line {
    /// Why the upload or the processing failed.
    fn problem(&self) -> Option<String> {
        match (&self.result, &self.processed) {
            (UploadResult { outcome: Outcome::Failed, reason, .. }, _) => reason.clone(),
            (_, Some(Processed::Failed(error))) => Some(format!("processing failed: {error}")),
            _ => None,
        }
    }

    fn text(&self) -> String {
        let doc_id = self.result.doc_id.map_or_else(String::new, short_id);
        format!("{:<11}  {doc_id}  {}", self.result.outcome.words(), self.shown)
    }

    fn as_json(&self) -> Value {
        let (status, error) = match &self.processed {
            None => (None, None),
            Some(Processed::Succeeded) => (Some("succeeded"), None),
            Some(Processed::Failed(error)) => (Some("failed"), Some(error)),
        };
        json!({
            "path": self.shown,
            "result": self.result.outcome.as_str(),
            "doc_id": self.result.doc_id,
            "run_id": self.result.run_id,
            "uploaded": self.result.uploaded_bytes.is_some(),
            "reason": self.result.reason,
            "run_status": status,
            "error": error,
        })
    }
}

fn print_batch(batch: &BatchView) {
    let documents = batch.counts.documents;
    let state = match batch.expected_documents {
        Some(expected) if batch.counts.offered < expected => format!(
            "; it stays open, because it expects {expected} files and got {}",
            batch.counts.offered
        ),
        _ => String::new(),
    };
    let documents = of("document", documents.unsigned_abs() as usize);
    say(format_args!("Batch {} has {documents}{state}", short_id(batch.batch_id)));
}

fn files(count: usize) -> String {
    of("file", count)
}

fn of(what: &str, count: usize) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
