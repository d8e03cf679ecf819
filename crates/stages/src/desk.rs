//! What the reading stages share: where the document comes from, and where pages go.
//!
//! Pages travel from stage to stage as one artifact, `pages.dkt`. A stage that changes none leaves none,
//! and the next one takes the one before. They go to the object store page by page, as they come.

use std::fmt;
use std::io::{self, BufReader, Read};
use std::sync::Arc;

use blob::{Artifact, ArtifactPlace, BlobError, Blobs, Recorded, Upload};
use bytes::Bytes;
use domain::{Dependency, Failure, FileKind, IdGen, StageName};
use engine::Work;
use futures_util::TryStreamExt;
use pages::Part;
use pages::artifact::{self, ArtifactError, PackedPart};
use reading::Limits;
use reading::pool::{Document, Subject};
use reading::reader::Reader;
use serde_json::{Value, json};

pub(crate) const PAGES: &str = "pages.dkt";

/// Cheap to clone.
#[derive(Clone)]
pub struct Desk {
    blobs: Blobs,
    pub(crate) reader: Reader,
    ids: Arc<dyn IdGen>,
}

/// An artifact on its way to the object store: what is written goes there at once.
struct Outgoing {
    upload: Upload,
    name: &'static str,
}

/// Pages on their way there.
pub(crate) struct OutgoingPages {
    writer: artifact::Writer<Vec<u8>>,
    to: Outgoing,
}

/// Text on its way there. What is added next may depend on how it ends so far.
pub(crate) struct OutgoingText {
    end: String,
    to: Outgoing,
}

impl Desk {
    pub fn new(blobs: Blobs, reader: Reader, ids: Arc<dyn IdGen>) -> Self {
        Self { blobs, reader, ids }
    }

    /// The original, for a child to read.
    pub(crate) async fn document(&self, work: &Work) -> Result<Document, Failure> {
        let Some(content) = work.content else {
            return Err(Failure::permanent(
                "the run does not say which original it is about",
                "Upload the document again.",
            ));
        };
        let opened = self.blobs.open_original(work.tenant_id, &content).await.map_err(of_store)?;
        if let Some(file) = opened {
            return Document::from_file(file).map_err(of_disk);
        }
        let original = self.blobs.read_original(work.tenant_id, &content, None).await;
        Document::from_stream(original.map_err(of_store)?.map_err(of_store), of_disk).await
    }

    /// The pages as the last stage that changed them left them.
    pub(crate) async fn pages(&self, work: &Work, stages: &[&str]) -> Result<Document, Failure> {
        let found = stages.iter().rev().find_map(|stage| listed(work, stage, PAGES));
        let key = found.and_then(|artifact| artifact["key"].as_str());
        let place: Option<ArtifactPlace> = key.and_then(|key| key.parse().ok());
        let recorded: Option<Recorded> =
            found.and_then(|artifact| serde_json::from_value(artifact.clone()).ok());
        let Some(place) = place else {
            return Err(Failure::permanent(
                "the stages before this one left no pages",
                "Run the document again from its first stage.",
            ));
        };
        let pages = self.blobs.read_artifact(&place, None).await.map_err(of_store)?;
        let pages = match recorded {
            Some(recorded) => pages.checked(&recorded).map_err(of_store)?,
            None => pages,
        };
        Document::from_stream(pages.map_err(of_store), of_disk).await
    }

    pub(crate) async fn keep(
        &self,
        work: &Work,
        name: &str,
        content: Bytes,
    ) -> Result<Value, Failure> {
        keep(&self.blobs, work, name, content).await
    }

    async fn begin(&self, name: &'static str) -> Result<Outgoing, Failure> {
        let upload = self.blobs.begin_upload(self.ids.next()).await.map_err(of_store)?;
        Ok(Outgoing { upload, name })
    }

    pub(crate) async fn begin_pages(&self) -> Result<OutgoingPages, Failure> {
        let writer = artifact::Writer::new(Vec::new()).map_err(of_pages)?;
        Ok(OutgoingPages { writer, to: self.begin(PAGES).await? })
    }

    pub(crate) async fn begin_text(&self, name: &'static str) -> Result<OutgoingText, Failure> {
        Ok(OutgoingText { end: String::new(), to: self.begin(name).await? })
    }

    async fn end(&self, work: &Work, outgoing: Outgoing) -> Result<Value, Failure> {
        let place = place(work, outgoing.name)?;
        let staged = outgoing.upload.finish().await.map_err(of_store)?;
        let kept = self.blobs.publish_artifact(&place, &staged).await.map_err(of_store)?;
        Ok(entry(outgoing.name, &kept))
    }

    pub(crate) async fn end_pages(
        &self,
        work: &Work,
        pages: OutgoingPages,
    ) -> Result<Value, Failure> {
        let OutgoingPages { writer, mut to } = pages;
        to.write(writer.finish().map_err(of_pages)?).await?;
        self.end(work, to).await
    }

    pub(crate) async fn end_text(&self, work: &Work, text: OutgoingText) -> Result<Value, Failure> {
        let OutgoingText { end, mut to } = text;
        to.write(end).await?;
        self.end(work, to).await
    }
}

impl Outgoing {
    async fn write(&mut self, bytes: impl Into<Bytes>) -> Result<(), Failure> {
        self.upload.write(bytes.into()).await.map_err(of_store)
    }
}

impl OutgoingPages {
    pub(crate) async fn write(&mut self, part: &Part) -> Result<(), Failure> {
        self.writer.write(part).map_err(of_pages)?;
        self.send().await
    }

    /// As a child packed it: what nobody changes is not packed again.
    pub(crate) async fn write_packed(&mut self, part: &PackedPart) -> Result<(), Failure> {
        self.writer.write_packed(part).map_err(of_pages)?;
        self.send().await
    }

    async fn send(&mut self) -> Result<(), Failure> {
        self.to.write(std::mem::take(self.writer.written())).await
    }
}

impl OutgoingText {
    pub(crate) async fn write(&mut self, add: impl FnOnce(&mut String)) -> Result<(), Failure> {
        const KEPT: usize = 2;
        add(&mut self.end);
        let most = self.end.len().saturating_sub(KEPT);
        let at = (0..=most).rev().find(|at| self.end.is_char_boundary(*at)).unwrap_or(0);
        let end = self.end.split_off(at);
        self.to.write(std::mem::replace(&mut self.end, end)).await
    }
}

/// What a child must know of the document beside its bytes: what was said when it was handed in.
pub(crate) fn subject(work: &Work) -> Result<Subject, Failure> {
    let said = |name: &str| work.config[name].as_str().unwrap_or_default();
    let media_type = said("content_type");
    let Some(kind) = FileKind::of_media_type(media_type) else {
        return Err(Failure::permanent(
            format!("the run does not say what kind of file it is about: '{media_type}'"),
            "Upload the document again.",
        ));
    };
    Ok(Subject {
        kind,
        file_name: said("original_filename").to_owned(),
        password: work.password.as_ref().map(|password| password.reveal().to_owned()),
        limits: Limits::default(),
    })
}

/// What a stage before this one left under a name.
pub(crate) fn listed<'a>(work: &'a Work, stage: &str, name: &str) -> Option<&'a Value> {
    let stage: StageName = stage.parse().ok()?;
    work.earlier.get(&stage)?.iter().find(|artifact| artifact["name"] == name)
}

pub(crate) fn read_pages(
    document: &Document,
) -> Result<artifact::Reader<impl Read + use<>>, Failure> {
    let file = document.reopened().map_err(of_disk)?;
    artifact::Reader::new(BufReader::new(file)).map_err(of_pages)
}

/// Stores an artifact that is there as a whole.
pub(crate) async fn keep(
    blobs: &Blobs,
    work: &Work,
    name: &str,
    content: Bytes,
) -> Result<Value, Failure> {
    let place = place(work, name)?;
    Ok(entry(name, &blobs.put_artifact(&place, content).await.map_err(of_store)?))
}

fn place(work: &Work, name: &str) -> Result<ArtifactPlace, Failure> {
    let name = name.parse().map_err(|_| {
        Failure::permanent("an artifact cannot be named", "This is a bug; report it.")
    })?;
    Ok(ArtifactPlace {
        tenant: work.tenant_id,
        doc: work.doc_id,
        run: work.run_id,
        stage: work.stage.clone(),
        name,
    })
}

fn entry(name: &str, kept: &Artifact) -> Value {
    json!({ "name": name, "key": kept.key, "size_bytes": kept.size, "sha256": kept.sha256 })
}

/// What a failure of the object store means for a job.
///
/// That an object is missing or damaged is certain when it is said (`blob/src/identity.rs`): the store is the right one.
/// Everything else passes, or somebody has to see to the store; that is no fault of the document.
pub(crate) fn of_store(error: BlobError) -> Failure {
    match &error {
        // A folder that was away for a moment, or a sweep: the stage writes it again.
        BlobError::NotFound { key } if key.starts_with("staging/") => {
            Failure::unavailable(Dependency::ObjectStore, error.to_string())
        }
        BlobError::NotFound { key } | BlobError::Damaged { key, .. } => {
            let advice = advice_on(key);
            Failure::permanent(error.to_string(), advice)
        }
        BlobError::OutOfRange { .. } | BlobError::TooLarge { .. } => {
            Failure::retry(error.to_string())
        }
        _ => Failure::unavailable(Dependency::ObjectStore, error.to_string()),
    }
}

/// How an object that is missing or damaged comes back.
fn advice_on(key: &str) -> String {
    match key.parse::<ArtifactPlace>() {
        Ok(place) => format!("Run the document again from the stage '{}'.", place.stage),
        Err(_) if key.starts_with("originals/") => {
            "Restore the original from a backup, or upload the document again.".to_owned()
        }
        Err(_) => "Retry the document.".to_owned(),
    }
}

pub(crate) fn of_disk(error: io::Error) -> Failure {
    let text = format!("this machine cannot hold the document: {error}");
    match error.kind() {
        // About the machine, whatever is written there.
        io::ErrorKind::StorageFull
        | io::ErrorKind::QuotaExceeded
        | io::ErrorKind::ReadOnlyFilesystem
        | io::ErrorKind::PermissionDenied
        | io::ErrorKind::NotFound
        | io::ErrorKind::OutOfMemory => Failure::unavailable(Dependency::LocalDisk, text),
        _ => Failure::retry(text),
    }
}

pub(crate) fn of_pages(error: ArtifactError) -> Failure {
    match error {
        ArtifactError::Io(error) => of_disk(error),
        other => {
            Failure::permanent(other.to_string(), "Run the document again from its first stage.")
        }
    }
}

impl fmt::Debug for Desk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Desk").field("blobs", &self.blobs).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use domain::FailureClass;

    use super::*;

    /// What the document cannot help pauses it; what is about the document does not.
    #[test]
    fn a_store_that_does_not_work_is_no_documents_fault() {
        let at = || "s3://bucket".to_owned();
        let source = || Box::new(io::Error::other("x"));
        let away = [
            BlobError::Unavailable { attempt: "read", at: at(), source: source() },
            BlobError::Full { at: at(), source: source() },
            BlobError::Refused { attempt: "read", at: at(), fix: "Check it", source: source() },
            BlobError::NoBucket { at: at(), source: source() },
            BlobError::Failed { attempt: "read", at: at(), source: source() },
            BlobError::FolderLost { at: "/mnt".to_owned(), name: "originals" },
            BlobError::NotFound { key: "staging/1".to_owned() },
        ];
        for error in away {
            let class = of_store(error).class;
            assert_eq!(class, FailureClass::Unavailable(Dependency::ObjectStore));
        }
    }

    #[test]
    fn a_full_disk_is_waited_for_and_a_strange_error_is_not() {
        let class = |kind: io::ErrorKind| of_disk(io::Error::from(kind)).class;
        let full = class(io::ErrorKind::StorageFull);
        assert_eq!(full, FailureClass::Unavailable(Dependency::LocalDisk));
        assert_eq!(class(io::ErrorKind::UnexpectedEof), FailureClass::Retry);
    }

    #[test]
    fn what_is_missing_says_how_it_comes_back() {
        let missing = |key: &str| of_store(BlobError::NotFound { key: key.to_owned() });
        let original = missing("originals/00000000-0000-0000-0000-000000000001/ab/abcd");
        assert_eq!(original.class, FailureClass::Permanent);
        assert!(original.guidance.contains("upload the document again"), "{}", original.guidance);
        let id = "00000000-0000-0000-0000-000000000001";
        let pages = format!("artifacts/{id}/{id}/{id}/preprocess/pages.dkt");
        let how = "its SHA-256 is another".to_owned();
        for failure in [missing(&pages), of_store(BlobError::Damaged { key: pages.clone(), how })] {
            assert_eq!(failure.class, FailureClass::Permanent);
            assert_eq!(failure.guidance, "Run the document again from the stage 'preprocess'.");
        }
    }
}
