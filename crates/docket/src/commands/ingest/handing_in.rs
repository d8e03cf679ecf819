//! Handing one file in: known already, or uploaded, again and again if need be.

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

use super::paths::{Found, Source, reason};
use super::progress::Progress;
use super::reading::Reading;
use super::report::{Handed, Outcome};
use crate::client::{Client, ClientError, Fingerprint, Patience, Receipt, Receipts};
use crate::system;

/// What all files of one command have in common.
pub(super) struct Desk {
    pub(super) client: Client,
    /// `None` when there is nowhere to keep them.
    pub(super) receipts: Option<Mutex<Receipts>>,
    pub(super) batch_id: Option<Uuid>,
    pub(super) title: Option<String>,
    pub(super) tags: Vec<String>,
    pub(super) password: Option<String>,
    /// What standard input is called.
    pub(super) name: String,
    /// Upload even what is known.
    pub(super) again: bool,
    pub(super) progress: Arc<Progress>,
}

impl Desk {
    /// What became of it. An error is one that the other files would run into as well.
    pub(super) async fn hand_in(&self, found: &Found) -> Result<Handed, ClientError> {
        match &found.source {
            Source::Nothing { why } => Ok(Handed::failed(why)),
            Source::StandardInput => match in_a_thread(|| spool(io::stdin())).await {
                Ok(file) => self.upload(file, &self.name, None).await,
                Err(error) => Ok(Handed::failed(reason(&error))),
            },
            Source::File { path, fingerprint, .. } => {
                if let Some(handed) = self.known(fingerprint.as_ref()).await? {
                    self.progress.sent(found.size());
                    return Ok(handed);
                }
                self.upload_file(path, fingerprint.as_ref()).await
            }
        }
    }

    /// What was accepted before, looks the same, and is still there.
    async fn known(&self, file: Option<&Fingerprint>) -> Result<Option<Handed>, ClientError> {
        // Only an upload can bring a document into a batch.
        if self.again || self.batch_id.is_some() {
            return Ok(None);
        }
        let Some(receipt) = self.receipt(file) else { return Ok(None) };
        let mut patience = Patience::default();
        let path = format!("/v1/documents/{}", receipt.doc_id);
        loop {
            match self.client.get::<DocumentDetailView>(&path).await {
                Ok(document) => return Ok(standing(&receipt, &document)),
                Err(ClientError::Refused(problem)) if problem.status == 404 => return Ok(None),
                Err(error) => match patience.wait_after(&error) {
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
    ) -> Result<Handed, ClientError> {
        let (file, found) = match in_a_thread({
            let path = path.to_owned();
            move || open(&path)
        })
        .await
        {
            Ok(opened) => opened,
            Err(error) => return Ok(Handed::failed(reason(&error))),
        };
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        let fingerprint = fingerprint.filter(|file| is_still(file, &found));
        let before = self.receipt(fingerprint).map(|receipt| receipt.doc_id);
        let mut handed = self.upload(file, &name, fingerprint).await?;
        // To the server a document without a version is new, however often it was uploaded.
        if handed.outcome == Outcome::New && handed.doc_id.is_some() && handed.doc_id == before {
            handed.outcome = Outcome::Rerun;
        }
        Ok(handed)
    }

    async fn upload(
        &self,
        file: Arc<File>,
        name: &str,
        fingerprint: Option<&Fingerprint>,
    ) -> Result<Handed, ClientError> {
        // Of an upload whose answer was lost, the next try gets the same answer.
        let key = system::environment().ids.next().to_string();
        let mut patience = Patience::default();
        loop {
            let progress = Arc::clone(&self.progress);
            let (part, reading) = match Reading::part(Arc::clone(&file), name.to_owned(), progress)
            {
                Ok(begun) => begun,
                Err(error) => return Ok(Handed::failed(reason(&error))),
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
            match self.send(form.part("file", part), &key, &reading).await {
                Ok(accepted) => {
                    let handed = Handed::accepted(&accepted, reading.sent());
                    self.keep_receipt(fingerprint, &reading, &handed);
                    return Ok(handed);
                }
                Err(error) => {
                    if let Some(why) = reading.broken() {
                        return Ok(Handed::failed(why));
                    }
                    reading.take_back();
                    match patience.wait_after(&error) {
                        Some(wait) => tokio::time::sleep(wait).await,
                        None if concerns_all(&error) => return Err(error),
                        None => return Ok(Handed::failed(error)),
                    }
                }
            }
        }
    }

    async fn send(
        &self,
        form: Form,
        key: &str,
        reading: &Reading,
    ) -> Result<IngestResponse, ClientError> {
        let sent = || reading.sent();
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

    fn keep_receipt(&self, file: Option<&Fingerprint>, reading: &Reading, handed: &Handed) {
        let (Some(receipts), Some(file), Some(doc_id)) = (&self.receipts, file, handed.doc_id)
        else {
            return;
        };
        let receipt = Receipt { file: file.clone(), sha256: reading.sha256(), doc_id };
        let added = receipts.lock().unwrap_or_else(PoisonError::into_inner).add(receipt);
        if let Err(error) = added {
            self.progress.complain_once(error);
        }
    }
}

/// The document that a receipt speaks of, as far as it makes an upload needless.
fn standing(receipt: &Receipt, document: &DocumentDetailView) -> Option<Handed> {
    let under_way =
        document.runs.iter().find(|run| matches!(run.status, RunState::Queued | RunState::Running));
    if let Some(run) = under_way {
        return Some(Handed::known(Outcome::InProgress, receipt.doc_id, Some(run.run_id)));
    }
    let hash = document.document.content_hash.as_deref().unwrap_or_default();
    let is_served =
        document.document.status == DocumentStatus::Active && hash.ends_with(&receipt.sha256);
    is_served.then(|| Handed::known(Outcome::Skipped, receipt.doc_id, None))
}

/// Whether the file that was opened is the one that was found.
fn is_still(fingerprint: &Fingerprint, found: &Metadata) -> bool {
    Fingerprint::of(Path::new(&fingerprint.path), found).as_ref() == Some(fingerprint)
}

/// A server that is not there, or does not let us in, is the same for every file.
fn concerns_all(error: &ClientError) -> bool {
    matches!(error.exit_code(), 3 | 4)
}

/// In a batch, what concerns one file comes without a status and without a time to come back.
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
    });
    match wait {
        Some(wait) => ClientError::Busy { problem, wait },
        None => ClientError::Refused(problem),
    }
}

/// Not on the runtime's own threads: those are waited for at the end, and a pipe may never say a word.
async fn in_a_thread<T: Send + 'static>(
    read: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let (tell, told) = oneshot::channel();
    std::thread::Builder::new().spawn(move || {
        // Nobody may want to know any more.
        tell.send(read()).ok();
    })?;
    told.await.map_err(io::Error::other)?
}

fn open(path: &Path) -> io::Result<(Arc<File>, Metadata)> {
    let file = File::open(path)?;
    let found = file.metadata()?;
    let file = if found.is_file() { Arc::new(file) } else { spool(file)? };
    Ok((file, found))
}

/// What cannot be read twice, in a file without a name: an upload may have to be repeated.
fn spool(mut from: impl io::Read) -> io::Result<Arc<File>> {
    let mut file = tempfile::tempfile()?;
    io::copy(&mut from, &mut file)?;
    Ok(Arc::new(file))
}
