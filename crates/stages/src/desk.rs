//! What the reading stages share: where the document comes from, and where pages go.
//!
//! Pages travel from stage to stage as one artifact, `pages.dkt`. A stage that changes none leaves none,
//! and the next one takes the one before.

use std::fmt;
use std::io::{BufReader, Read, Write};
use std::sync::Arc;

use blob::{Artifact, ArtifactPlace, BlobError, Blobs};
use bytes::Bytes;
use domain::{Failure, FileKind, IdGen, StageName};
use engine::Work;
use futures_util::TryStreamExt;
use reading::artifact::{self, ArtifactError};
use reading::pool::{Document, DocumentWriter, Subject};
use reading::reader::Reader;
use reading::{Limits, model::Part};
use serde_json::{Value, json};

pub(crate) const PAGES: &str = "pages.dkt";

/// Cheap to clone.
#[derive(Clone)]
pub struct Desk {
    blobs: Blobs,
    pub(crate) reader: Reader,
    ids: Arc<dyn IdGen>,
}

/// Collects parts into a file without a name.
pub(crate) type PagesWriter = artifact::Writer<DocumentWriter>;

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
        in_memory(original.map_err(of_store)?).await
    }

    /// The pages as the last stage that changed them left them.
    pub(crate) async fn pages(&self, work: &Work, stages: &[&str]) -> Result<Document, Failure> {
        let found = stages.iter().rev().find_map(|stage| listed(work, stage, PAGES));
        let key = found.and_then(|artifact| artifact["key"].as_str());
        let place: Option<ArtifactPlace> = key.and_then(|key| key.parse().ok());
        let Some(place) = place else {
            return Err(Failure::permanent(
                "the stages before this one left no pages",
                "Run the document again from its first stage.",
            ));
        };
        in_memory(self.blobs.read_artifact(&place, None).await.map_err(of_store)?).await
    }

    /// Stores an artifact of any size.
    pub(crate) async fn keep(
        &self,
        work: &Work,
        name: &str,
        mut content: impl Read + Send,
    ) -> Result<Value, Failure> {
        const PIECE: usize = 256 << 10;
        let place = place(work, name)?;
        let mut upload = self.blobs.begin_upload(self.ids.next()).await.map_err(of_store)?;
        loop {
            let mut piece = vec![0; PIECE];
            let length = content.read(&mut piece).map_err(of_disk)?;
            if length == 0 {
                break;
            }
            piece.truncate(length);
            upload.write(Bytes::from(piece)).await.map_err(of_store)?;
        }
        let staged = upload.finish().await.map_err(of_store)?;
        let kept = self.blobs.publish_artifact(&place, &staged).await.map_err(of_store)?;
        Ok(entry(name, &kept))
    }

    pub(crate) async fn keep_pages(
        &self,
        work: &Work,
        pages: PagesWriter,
    ) -> Result<(Value, Document), Failure> {
        let written = pages.finish().map_err(of_pages)?.finish().map_err(of_disk)?;
        let kept = self.keep(work, PAGES, written.reopened().map_err(of_disk)?).await?;
        Ok((kept, written))
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

pub(crate) fn new_pages() -> Result<PagesWriter, Failure> {
    artifact::Writer::new(DocumentWriter::new().map_err(of_disk)?).map_err(of_pages)
}

pub(crate) fn read_pages(
    document: &Document,
) -> Result<artifact::Reader<impl Read + use<>>, Failure> {
    let file = document.reopened().map_err(of_disk)?;
    artifact::Reader::new(BufReader::new(file)).map_err(of_pages)
}

pub(crate) fn write(pages: &mut PagesWriter, part: &Part) -> Result<(), Failure> {
    pages.write(part).map_err(of_pages)
}

async fn in_memory(mut bytes: blob::BlobStream) -> Result<Document, Failure> {
    let mut writer = DocumentWriter::new().map_err(of_disk)?;
    while let Some(piece) = bytes.try_next().await.map_err(of_store)? {
        writer.write_all(&piece).map_err(of_disk)?;
    }
    writer.finish().map_err(of_disk)
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

pub(crate) fn entry(name: &str, kept: &Artifact) -> Value {
    json!({ "name": name, "key": kept.key, "size_bytes": kept.size, "sha256": kept.sha256 })
}

pub(crate) fn of_store(error: BlobError) -> Failure {
    let text = error.to_string();
    if error.is_not_found() {
        Failure::permanent(text, "The original is gone. Upload the document again.")
    } else if matches!(error, BlobError::Damaged { .. }) {
        Failure::permanent(text, "Check the disk or the bucket, then upload the document again.")
    } else {
        Failure::retry(text)
    }
}

pub(crate) fn of_disk(error: std::io::Error) -> Failure {
    Failure::retry(format!("this machine cannot hold the document: {error}"))
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
