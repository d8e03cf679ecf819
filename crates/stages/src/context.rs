//! What the reading stages share: where the document comes from, and where pages go.
//!
//! Pages travel from stage to stage as one artifact ([`Artifact::PAGES`]). A stage that changes none leaves none,
//! and the next one takes the one before. They go to the object store page by page, as they come.

use std::fmt;
use std::io::{self, BufReader, Read};
use std::sync::Arc;

use blob::{ArtifactPlace, BlobError, Blobs, Recorded, Upload};
use bytes::Bytes;
use domain::{Artifact, Dependency, Failure, IdGen, PagesArtifact, StageName, StoredFile};
use engine::StageInput;
use futures_util::TryStreamExt;
use pages::Part;
use pages::artifact::{self, ArtifactError, PackedPart};
use reading::Limits;
use reading::pool::{Document, Subject};
use reading::reader::Reader;

/// Cheap to clone.
#[derive(Clone)]
pub struct StageContext {
    pub(crate) blobs: Blobs,
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

impl StageContext {
    pub fn new(blobs: Blobs, reader: Reader, ids: Arc<dyn IdGen>) -> Self {
        Self { blobs, reader, ids }
    }

    /// The original, for a child to read.
    pub(crate) async fn document(&self, input: &StageInput) -> Result<Document, Failure> {
        let Some(content) = input.content else {
            return Err(Failure::permanent(
                "the run does not say which original it is about",
                "Upload the document again.",
            ));
        };
        let opened = self.blobs.open_original(input.tenant_id, &content).await.map_err(of_store)?;
        if let Some(file) = opened {
            return Document::from_file(file).map_err(of_disk);
        }
        let original = self.blobs.read_original(input.tenant_id, &content, None).await;
        Document::from_stream(original.map_err(of_store)?.map_err(of_store), of_disk).await
    }

    /// The pages as the last stage that changed them left them.
    pub(crate) async fn pages(
        &self,
        input: &StageInput,
        stages: &[StageName],
    ) -> Result<Document, Failure> {
        let found = stages.iter().rev().find_map(|stage| pages_of(input, stage));
        let place = found.map(|pages| (pages, pages.file.key.parse::<ArtifactPlace>()));
        let Some((PagesArtifact { file, .. }, Ok(place))) = place else {
            return Err(Failure::permanent(
                "the stages before this one left no pages",
                "Run the document again from its first stage.",
            ));
        };
        let pages = self.blobs.read_artifact(&place, None).await.map_err(of_store)?;
        let pages = pages.checked(&Recorded::from(file)).map_err(of_store)?;
        Document::from_stream(pages.map_err(of_store), of_disk).await
    }

    pub(crate) async fn keep(
        &self,
        input: &StageInput,
        name: &str,
        content: Bytes,
    ) -> Result<StoredFile, Failure> {
        keep(&self.blobs, input, name, content).await
    }

    async fn begin(&self, name: &'static str) -> Result<Outgoing, Failure> {
        let upload = self.blobs.begin_upload(self.ids.next()).await.map_err(of_store)?;
        Ok(Outgoing { upload, name })
    }

    pub(crate) async fn begin_pages(&self) -> Result<OutgoingPages, Failure> {
        let writer = artifact::Writer::new(Vec::new()).map_err(of_pages)?;
        Ok(OutgoingPages { writer, to: self.begin(Artifact::PAGES).await? })
    }

    pub(crate) async fn begin_text(&self, name: &'static str) -> Result<OutgoingText, Failure> {
        Ok(OutgoingText { end: String::new(), to: self.begin(name).await? })
    }

    async fn end(&self, input: &StageInput, outgoing: Outgoing) -> Result<StoredFile, Failure> {
        let place = place(input, outgoing.name)?;
        let staged = outgoing.upload.finish().await.map_err(of_store)?;
        self.blobs.publish_artifact(&place, &staged).await.map_err(of_store)
    }

    pub(crate) async fn end_pages(
        &self,
        input: &StageInput,
        pages: OutgoingPages,
    ) -> Result<StoredFile, Failure> {
        let OutgoingPages { writer, mut to } = pages;
        to.write(writer.finish().map_err(of_pages)?).await?;
        self.end(input, to).await
    }

    pub(crate) async fn end_text(
        &self,
        input: &StageInput,
        text: OutgoingText,
    ) -> Result<StoredFile, Failure> {
        let OutgoingText { end, mut to } = text;
        to.write(end).await?;
        self.end(input, to).await
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
pub(crate) fn subject(input: &StageInput) -> Result<Subject, Failure> {
    let config = &input.config;
    let Some(kind) = config.kind() else {
        return Err(Failure::permanent(
            format!(
                "the run does not say what kind of file it is about: '{}'",
                config.content_type
            ),
            "Upload the document again.",
        ));
    };
    Ok(Subject {
        kind,
        file_name: config.original_filename.clone(),
        password: input.password.as_ref().map(|password| password.reveal().to_owned()),
        limits: Limits::default(),
    })
}

/// The pages that a stage before this one left.
pub(crate) fn pages_of<'a>(input: &'a StageInput, stage: &StageName) -> Option<&'a PagesArtifact> {
    Artifact::pages_in(input.earlier.get(stage)?)
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
    input: &StageInput,
    name: &str,
    content: Bytes,
) -> Result<StoredFile, Failure> {
    let place = place(input, name)?;
    blobs.put_artifact(&place, content).await.map_err(of_store)
}

fn place(input: &StageInput, name: &str) -> Result<ArtifactPlace, Failure> {
    let name = name.parse().map_err(|_| {
        Failure::permanent("an artifact cannot be named", "This is a bug; report it.")
    })?;
    Ok(ArtifactPlace {
        tenant: input.tenant_id,
        doc: input.doc_id,
        run: input.run_id,
        stage: input.stage.clone(),
        name,
    })
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

impl fmt::Debug for StageContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StageContext").field("blobs", &self.blobs).finish_non_exhaustive()
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
