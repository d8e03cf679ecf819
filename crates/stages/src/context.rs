//! What the reading stages share: access to the document and to the pages of earlier stages.
//!
//! Stages pass pages on as one artifact ([`Artifact::PAGES`]). A stage that changes no page stores none, and the
//! next stage reads the artifact of an earlier one. Pages are uploaded to the object store one by one.

use std::fmt;
use std::io::{self, BufReader, Read};
use std::sync::Arc;

use blob::{ArtifactPlace, BlobError, Blobs, Recorded, Upload};
use bytes::Bytes;
use domain::{Artifact, Dependency, Failure, IdGen, PagesArtifact, StageName, StoredFile};
use engine::StageInput;
use extraction::stored::UnreadableArtifact;
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

/// An artifact that is being uploaded: written bytes are sent at once.
struct ArtifactUpload {
    upload: Upload,
    name: &'static str,
}

/// A pages artifact that is being uploaded.
pub(crate) struct PagesUpload {
    writer: artifact::Writer<Vec<u8>>,
    to: ArtifactUpload,
}

/// A text artifact that is being uploaded. Text added later may depend on the current end.
pub(crate) struct TextUpload {
    end: String,
    to: ArtifactUpload,
}

impl StageContext {
    pub fn new(blobs: Blobs, reader: Reader, ids: Arc<dyn IdGen>) -> Self {
        Self { blobs, reader, ids }
    }

    /// The original, for a reading child.
    pub(crate) async fn document(&self, input: &StageInput) -> Result<Document, Failure> {
        let Some(content) = input.content else {
            return Err(Failure::permanent(
                "the run names no original",
                "Upload the document again.",
            ));
        };
        let opened =
            self.blobs.open_original(input.tenant_id, &content).await.map_err(store_failure)?;
        if let Some(file) = opened {
            return Document::from_file(file).map_err(disk_failure);
        }
        let original = self.blobs.read_original(input.tenant_id, &content, None).await;
        Document::from_stream(original.map_err(store_failure)?.map_err(store_failure), disk_failure)
            .await
    }

    /// The pages of the last of `stages` that stored any.
    pub(crate) async fn pages(
        &self,
        input: &StageInput,
        stages: &[StageName],
    ) -> Result<Document, Failure> {
        let latest = stages.iter().rev().find_map(|stage| pages_of(input, stage));
        let place = latest.map(|pages| (pages, pages.file.key.parse::<ArtifactPlace>()));
        let Some((PagesArtifact { file, .. }, Ok(place))) = place else {
            return Err(Failure::permanent(
                "the earlier stages stored no pages",
                "Rerun the document from its first stage.",
            ));
        };
        let pages = self.blobs.read_artifact(&place, None).await.map_err(store_failure)?;
        let pages = pages.checked(&Recorded::from(file)).map_err(store_failure)?;
        Document::from_stream(pages.map_err(store_failure), disk_failure).await
    }

    /// The content of an artifact, which must be small enough for memory.
    pub(crate) async fn artifact(&self, file: &StoredFile) -> Result<Vec<u8>, Failure> {
        let Ok(place) = file.key.parse::<ArtifactPlace>() else {
            return Err(Failure::permanent(
                "the key of an artifact is invalid",
                "Rerun the document from its first stage.",
            ));
        };
        let content = self.blobs.read_artifact(&place, None).await.map_err(store_failure)?;
        let mut content = content.checked(&Recorded::from(file)).map_err(store_failure)?;
        let mut bytes = Vec::new();
        while let Some(piece) = content.try_next().await.map_err(store_failure)? {
            bytes.extend_from_slice(&piece);
        }
        Ok(bytes)
    }

    pub(crate) async fn store_artifact(
        &self,
        input: &StageInput,
        name: &str,
        content: Bytes,
    ) -> Result<StoredFile, Failure> {
        store_artifact(&self.blobs, input, name, content).await
    }

    async fn begin(&self, name: &'static str) -> Result<ArtifactUpload, Failure> {
        let upload = self.blobs.begin_upload(self.ids.next()).await.map_err(store_failure)?;
        Ok(ArtifactUpload { upload, name })
    }

    pub(crate) async fn begin_pages(&self) -> Result<PagesUpload, Failure> {
        let writer = artifact::Writer::new(Vec::new()).map_err(pages_failure)?;
        Ok(PagesUpload { writer, to: self.begin(Artifact::PAGES).await? })
    }

    pub(crate) async fn begin_text(&self, name: &'static str) -> Result<TextUpload, Failure> {
        Ok(TextUpload { end: String::new(), to: self.begin(name).await? })
    }

    async fn end(
        &self,
        input: &StageInput,
        outgoing: ArtifactUpload,
    ) -> Result<StoredFile, Failure> {
        let place = place(input, outgoing.name)?;
        let staged = outgoing.upload.finish().await.map_err(store_failure)?;
        self.blobs.publish_artifact(&place, &staged).await.map_err(store_failure)
    }

    pub(crate) async fn end_pages(
        &self,
        input: &StageInput,
        pages: PagesUpload,
    ) -> Result<StoredFile, Failure> {
        let PagesUpload { writer, mut to } = pages;
        to.write(writer.finish().map_err(pages_failure)?).await?;
        self.end(input, to).await
    }

    pub(crate) async fn end_text(
        &self,
        input: &StageInput,
        text: TextUpload,
    ) -> Result<StoredFile, Failure> {
        let TextUpload { end, mut to } = text;
        to.write(end).await?;
        self.end(input, to).await
    }
}

impl ArtifactUpload {
    async fn write(&mut self, bytes: impl Into<Bytes>) -> Result<(), Failure> {
        self.upload.write(bytes.into()).await.map_err(store_failure)
    }
}

impl PagesUpload {
    pub(crate) async fn write(&mut self, part: &Part) -> Result<(), Failure> {
        self.writer.write(part).map_err(pages_failure)?;
        self.send().await
    }

    /// Writes a part as a child packed it, so that unchanged parts are not packed again.
    pub(crate) async fn write_packed(&mut self, part: &PackedPart) -> Result<(), Failure> {
        self.writer.write_packed(part).map_err(pages_failure)?;
        self.send().await
    }

    async fn send(&mut self) -> Result<(), Failure> {
        self.to.write(std::mem::take(self.writer.written())).await
    }
}

impl TextUpload {
    pub(crate) async fn write(&mut self, add: impl FnOnce(&mut String)) -> Result<(), Failure> {
        const KEPT_BYTES: usize = 2;
        add(&mut self.end);
        let most = self.end.len().saturating_sub(KEPT_BYTES);
        let at = (0..=most).rev().find(|at| self.end.is_char_boundary(*at)).unwrap_or(0);
        let end = self.end.split_off(at);
        self.to.write(std::mem::replace(&mut self.end, end)).await
    }
}

/// What a child must know besides the bytes of the document, from the upload.
pub(crate) fn subject(input: &StageInput) -> Result<Subject, Failure> {
    let config = &input.config;
    let Some(kind) = config.kind() else {
        return Err(Failure::permanent(
            format!("the run names no known file type: '{}'", config.content_type),
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

/// The pages that an earlier stage stored.
pub(crate) fn pages_of<'a>(input: &'a StageInput, stage: &StageName) -> Option<&'a PagesArtifact> {
    Artifact::pages_in(input.earlier.get(stage)?)
}

pub(crate) fn read_pages(
    document: &Document,
) -> Result<artifact::Reader<impl Read + use<>>, Failure> {
    let file = document.reopened().map_err(disk_failure)?;
    artifact::Reader::new(BufReader::new(file)).map_err(pages_failure)
}

/// Stores an artifact whose content is complete.
pub(crate) async fn store_artifact(
    blobs: &Blobs,
    input: &StageInput,
    name: &str,
    content: Bytes,
) -> Result<StoredFile, Failure> {
    let place = place(input, name)?;
    blobs.put_artifact(&place, content).await.map_err(store_failure)
}

fn place(input: &StageInput, name: &str) -> Result<ArtifactPlace, Failure> {
    let name = name.parse().map_err(|_| {
        Failure::permanent("the name of an artifact is invalid", "This is a bug; report it.")
    })?;
    Ok(ArtifactPlace {
        tenant: input.tenant_id,
        doc: input.doc_id,
        run: input.run_id,
        stage: input.stage.clone(),
        name,
    })
}

/// What an error of the object store means for a job.
///
/// A missing or damaged object is certain: `blob/src/identity.rs` has verified that the store is the right one.
/// Every other error is transient or needs the operator, and is not the document's fault.
pub(crate) fn store_failure(error: BlobError) -> Failure {
    match &error {
        // The folder was briefly unavailable, or a cleanup removed the object: the stage writes it again.
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

/// How to restore a missing or damaged object.
fn advice_on(key: &str) -> String {
    match key.parse::<ArtifactPlace>() {
        Ok(place) => format!("Rerun the document from the stage '{}'.", place.stage),
        Err(_) if key.starts_with("originals/") => {
            "Restore the original from a backup, or upload the document again.".to_owned()
        }
        Err(_) => "Retry the document.".to_owned(),
    }
}

pub(crate) fn disk_failure(error: io::Error) -> Failure {
    let text = format!("this machine cannot store the document: {error}");
    match error.kind() {
        // Problems of the machine, not of the document.
        io::ErrorKind::StorageFull
        | io::ErrorKind::QuotaExceeded
        | io::ErrorKind::ReadOnlyFilesystem
        | io::ErrorKind::PermissionDenied
        | io::ErrorKind::NotFound
        | io::ErrorKind::OutOfMemory => Failure::unavailable(Dependency::LocalDisk, text),
        _ => Failure::retry(text),
    }
}

pub(crate) fn pages_failure(error: ArtifactError) -> Failure {
    match error {
        ArtifactError::Io(error) => disk_failure(error),
        other => Failure::permanent(other.to_string(), "Rerun the document from its first stage."),
    }
}

pub(crate) fn fields_failure(error: UnreadableArtifact) -> Failure {
    Failure::permanent(error.to_string(), "Rerun the document from the stage 'parse'.")
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

    /// Such an error pauses the job; an error of the document itself does not.
    #[test]
    fn an_error_of_the_object_store_is_not_the_documents_fault() {
        let at = || "s3://bucket".to_owned();
        let source = || Box::new(io::Error::other("x"));
        let errors = [
            BlobError::Unavailable { attempt: "read", at: at(), source: source() },
            BlobError::Full { at: at(), source: source() },
            BlobError::Refused { attempt: "read", at: at(), fix: "Check it", source: source() },
            BlobError::NoBucket { at: at(), source: source() },
            BlobError::Failed { attempt: "read", at: at(), source: source() },
            BlobError::FolderLost { at: "/mnt".to_owned(), name: "originals" },
            BlobError::NotFound { key: "staging/1".to_owned() },
        ];
        for error in errors {
            let class = store_failure(error).class;
            assert_eq!(class, FailureClass::Unavailable(Dependency::ObjectStore));
        }
    }

    #[test]
    fn a_full_disk_pauses_the_job_and_an_unknown_error_does_not() {
        let class = |kind: io::ErrorKind| disk_failure(io::Error::from(kind)).class;
        let full = class(io::ErrorKind::StorageFull);
        assert_eq!(full, FailureClass::Unavailable(Dependency::LocalDisk));
        assert_eq!(class(io::ErrorKind::UnexpectedEof), FailureClass::Retry);
    }

    #[test]
    fn the_advice_for_a_missing_object_says_how_to_restore_it() {
        let missing = |key: &str| store_failure(BlobError::NotFound { key: key.to_owned() });
        let original = missing("originals/00000000-0000-0000-0000-000000000001/ab/abcd");
        assert_eq!(original.class, FailureClass::Permanent);
        assert!(original.guidance.contains("upload the document again"), "{}", original.guidance);
        let id = "00000000-0000-0000-0000-000000000001";
        let pages = format!("artifacts/{id}/{id}/{id}/preprocess/pages.dkt");
        let how = "its SHA-256 differs".to_owned();
        for failure in
            [missing(&pages), store_failure(BlobError::Damaged { key: pages.clone(), how })]
        {
            assert_eq!(failure.class, FailureClass::Permanent);
            assert_eq!(failure.guidance, "Rerun the document from the stage 'preprocess'.");
        }
    }
}
