//! Uploads one file with retries, unless the server has it already.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use api_types::{BatchUploadResponse, DocumentDetailView, FileProblem, IngestResponse, Problem};
use domain::{DocumentStatus, RunState};
use reqwest::multipart::Form;
use tokio::sync::oneshot;
use uuid::Uuid;

use super::file_stream::FileStream;
use super::paths::{Input, Source, reason};
use super::progress::Progress;
use super::report::{Outcome, UploadResult};
use crate::client::{Client, ClientError, Fingerprint, Receipt, Receipts, RequestRetries};
use crate::system;

/// Uploads the files of one command.
pub(super) struct Uploader {
    pub(super) client: Client,
    /// `None` when there is no folder to store them in.
    pub(super) receipts: Option<Mutex<Receipts>>,
    pub(super) batch_id: Option<Uuid>,
    pub(super) title: Option<String>,
    pub(super) tags: Vec<String>,
    pub(super) password: Option<String>,
    /// The file name for standard input.
    pub(super) name: String,
    /// Upload also what was uploaded before.
    pub(super) again: bool,
    pub(super) progress: Arc<Progress>,
}

impl Uploader {
    /// The result for one file. An `Err` would happen to all other files too.
    pub(super) async fn upload_input(&self, input: &Input) -> Result<UploadResult, ClientError> {
        match &input.source {
            Source::Unreadable { why } => Ok(UploadResult::failed(why)),
            Source::StandardInput => match in_a_thread(|| spool(io::stdin())).await {
                Ok(file) => self.upload(file, &self.name, None).await,
                Err(error) => Ok(UploadResult::failed(reason(&error))),
            },
            Source::File { path, fingerprint, .. } => {
                if let Some(result) = self.find_accepted(fingerprint.as_ref()).await? {
                    self.progress.sent(input.size());
                    return Ok(result);
                }
                self.upload_file(path, fingerprint.as_ref()).await
            }
        }
    }

    /// The result for a file that was accepted before, has not changed and still exists on the server.
    async fn find_accepted(
        &self,
        file: Option<&Fingerprint>,
    ) -> Result<Option<UploadResult>, ClientError> {
        // Only an upload adds a document to a batch.
        if self.again || self.batch_id.is_some() {
            return Ok(None);
        }
        let Some(receipt) = self.receipt(file) else { return Ok(None) };
        let mut retries = RequestRetries::default();
        let path = format!("/v1/documents/{}", receipt.doc_id);
        loop {
            match self.client.get::<DocumentDetailView>(&path).await {
                Ok(document) => return Ok(accepted_before(&receipt, &document)),
                Err(ClientError::Refused(problem)) if problem.status == 404 => return Ok(None),
                Err(error) => match retries.wait_after(&error) {
                    Some(wait) => tokio::time::sleep(wait).await,
                    None => return Err(error),
                },
            }
        }
    }

    fn receipt(&self, file: Option<&Fingerprint>) -> Option<Receipt> {
        let (receipts, file) = self.receipts.as_ref().zip(file)?;
        receipts.lock().unwrap_or_else(PoisonError::into_inner).find(file).cloned()
    }

    async fn upload_file(
        &self,
        path: &Path,
        fingerprint: Option<&Fingerprint>,
    ) -> Result<UploadResult, ClientError> {
        let (file, metadata) = match in_a_thread({
            let path = path.to_owned();
            move || open(&path)
        })
        .await
        {
            Ok(opened) => opened,
            Err(error) => return Ok(UploadResult::failed(reason(&error))),
        };
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        let fingerprint = fingerprint.filter(|file| is_unchanged(file, &metadata));
        let before = self.receipt(fingerprint).map(|receipt| receipt.doc_id);
        let mut result = self.upload(file, &name, fingerprint).await?;
        // To the server a document without a version is new, however often it was uploaded.
        if result.outcome == Outcome::New && result.doc_id.is_some() && result.doc_id == before {
            result.outcome = Outcome::Rerun;
        }
        Ok(result)
    }

    async fn upload(
        &self,
        file: Arc<File>,
        name: &str,
        fingerprint: Option<&Fingerprint>,
    ) -> Result<UploadResult, ClientError> {
        // With the same key, a retry of an upload whose response was lost gets the same response.
        let key = system::environment().ids.next().to_string();
        let mut retries = RequestRetries::default();
        loop {
            let progress = Arc::clone(&self.progress);
            let (part, stream) =
                match FileStream::part(Arc::clone(&file), name.to_owned(), progress) {
                    Ok(begun) => begun,
                    Err(error) => return Ok(UploadResult::failed(reason(&error))),
                };
            let mut form = Form::new();
            if let Some(title) = &self.title {
                form = form.text("title", title.clone());
            }
            for tag in &self.tags {
                form = form.text("tag", tag.clone());
            }
            if let Some(password) = &self.password {
                form = form.text("password", password.clone());
            }
            match self.send(form.part("file", part), &key, &stream).await {
                Ok(accepted) => {
                    let result = UploadResult::accepted(&accepted, stream.sent());
                    self.keep_receipt(fingerprint, &stream, &result);
                    return Ok(result);
                }
                Err(error) => {
                    if let Some(why) = stream.read_error() {
                        return Ok(UploadResult::failed(why));
                    }
                    stream.undo_progress();
                    match retries.wait_after(&error) {
                        Some(wait) => tokio::time::sleep(wait).await,
                        None if concerns_all(&error) => return Err(error),
                        None => return Ok(UploadResult::failed(error)),
                    }
                }
            }
        }
    }

    async fn send(
        &self,
        form: Form,
        key: &str,
        stream: &FileStream,
    ) -> Result<IngestResponse, ClientError> {
        let sent = || stream.sent();
        let Some(batch_id) = self.batch_id else {
            return self.client.upload_at_length("/v1/ingest", form, key, sent).await;
        };
        let path = format!("/v1/batches/{batch_id}/documents");
        let answer: BatchUploadResponse =
            self.client.upload_at_length(&path, form, key, sent).await?;
        let first = answer.files.into_iter().next();
        match first.map(|file| (file.accepted, file.problem)) {
            Some((Some(accepted), _)) => Ok(accepted),
            Some((None, Some(problem))) => Err(refused_in_batch(problem)),
            Some((None, None)) | None => {
                Err(ClientError::NotDocket { server: self.client.server().clone(), status: 200 })
            }
        }
    }

    fn keep_receipt(&self, file: Option<&Fingerprint>, stream: &FileStream, result: &UploadResult) {
        let (Some(receipts), Some(file), Some(doc_id)) = (&self.receipts, file, result.doc_id)
        else {
            return;
        };
        let receipt = Receipt { file: file.clone(), sha256: stream.sha256(), doc_id };
        let added = receipts.lock().unwrap_or_else(PoisonError::into_inner).add(receipt);
        if let Err(error) = added {
            self.progress.complain_once(error);
        }
    }
}

/// The result of an earlier upload, if it makes another one unnecessary.
fn accepted_before(receipt: &Receipt, document: &DocumentDetailView) -> Option<UploadResult> {
    let under_way =
        document.runs.iter().find(|run| matches!(run.status, RunState::Queued | RunState::Running));
    if let Some(run) = under_way {
        return Some(UploadResult::not_uploaded(
            Outcome::InProgress,
            receipt.doc_id,
            Some(run.run_id),
        ));
    }
    let hash = document.document.content_hash.as_deref().unwrap_or_default();
    let is_served =
        document.document.status == DocumentStatus::Active && hash.ends_with(&receipt.sha256);
    is_served.then(|| UploadResult::not_uploaded(Outcome::Skipped, receipt.doc_id, None))
}

/// Whether the opened file is the one that was listed.
fn is_unchanged(fingerprint: &Fingerprint, found: &Metadata) -> bool {
    Fingerprint::of(Path::new(&fingerprint.path), found).as_ref() == Some(fingerprint)
}

/// An unreachable server or invalid credentials affect every file.
fn concerns_all(error: &ClientError) -> bool {
    matches!(error.exit_code(), 3 | 4)
}

/// In a batch, the problem of one file has no status and no `Retry-After`.
fn refused_in_batch(problem: FileProblem) -> ClientError {
    let FileProblem { code, detail } = problem;
    let wait = match code.as_str() {
        "queue_full" => Some(Duration::from_secs(30)),
        "unavailable" | "objects_unavailable" | "rate_limited" => Some(Duration::from_secs(2)),
        _ => None,
    };
    let problem = Box::new(Problem {
        kind: format!("about:blank#{code}"),
        title: String::new(),
        status: if wait.is_some() { 503 } else { 400 },
        detail,
        code,
        trace_id: String::new(),
        field: None,
        errors: Vec::new(),
    });
    match wait {
        Some(wait) => ClientError::Busy { problem, wait },
        None => ClientError::Refused(problem),
    }
}

/// Not on the runtime's threads: the process waits for those at its end, and a pipe may never be closed.
async fn in_a_thread<T: Send + 'static>(
    read: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let (sender, receiver) = oneshot::channel();
    std::thread::Builder::new().spawn(move || {
        // The receiver may be gone.
        sender.send(read()).ok();
    })?;
    receiver.await.map_err(io::Error::other)?
}

fn open(path: &Path) -> io::Result<(Arc<File>, Metadata)> {
    let file = File::open(path)?;
    let found = file.metadata()?;
    let file = if found.is_file() { Arc::new(file) } else { spool(file)? };
    Ok((file, found))
}

/// Copies input that cannot be read twice to a temporary file: an upload may have to be repeated.
fn spool(mut from: impl io::Read) -> io::Result<Arc<File>> {
    let mut file = tempfile::tempfile()?;
    io::copy(&mut from, &mut file)?;
    Ok(Arc::new(file))
}
