//! Artifacts: what stages produce for later stages and for readers.
//!
//! They are stored as the list `stages.artifacts`, each as an [`ArtifactEntry`] with the version of that format. The
//! oldest entries have no version, or not even a name; both can be read. A later version may only add fields and names,
//! so that a worker of an earlier version can still read what it knows.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::StageName;
use crate::{ContentHash, DocId};

/// The artifacts of a run's stages, by stage.
pub type EarlierArtifacts = BTreeMap<StageName, Vec<Artifact>>;

/// Something that a stage produced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "ArtifactEntry", into = "ArtifactEntry")]
pub enum Artifact {
    /// The original, as the stage `ingest` verified it.
    Original(StoredFile),
    Pages(PagesArtifact),
    /// The whole document as plain text.
    Text(StoredFile),
    Markdown(StoredFile),
    Attachment(AttachmentArtifact),
    /// The candidates for each field: `extraction::stored::ParsedArtifact`.
    Parsed(StoredFile),
    /// The fields before acceptance: `extraction::stored::ExtractionArtifact`.
    Extraction(StoredFile),
    /// An artifact of a later version, which this version does not know.
    Other(ArtifactEntry),
}

/// An object in the object store, as it was when it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFile {
    pub key: String,
    pub size_bytes: u64,
    pub sha256: ContentHash,
}

/// The pages of a document. A count is `None` when the stage did not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PagesArtifact {
    pub file: StoredFile,
    pub pages: Option<u32>,
    /// How many of them need OCR.
    pub wanting_ocr: Option<u32>,
}

/// A file that the document contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttachmentArtifact {
    /// See [`AttachmentArtifact::name_of`].
    pub name: String,
    /// Its file name in the document.
    pub file_name: Option<String>,
    pub media_type: Option<String>,
    pub content: AttachmentContent,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttachmentContent {
    /// Stored only.
    Stored(StoredFile),
    /// Submitted as a document of its own.
    Document(DocId),
}

/// An artifact as it is stored, and as clients of the API see it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Artifact))]
#[serde(default)]
pub struct ArtifactEntry {
    /// The version of this format; absent in the oldest entries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    #[cfg_attr(feature = "openapi", schema(example = "pages.dkt", required = true))]
    pub name: String,
    /// Its key in the object store; absent when it became a document of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub sha256: Option<ContentHash>,
    /// How many pages it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages: Option<u32>,
    /// How many of them need OCR.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wanting_ocr: Option<u32>,
    /// The document that an attachment became.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<uuid::Uuid>))]
    pub doc_id: Option<DocId>,
    /// The file name of an attachment in its document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
}

impl Artifact {
    pub const ORIGINAL: &str = "original.json";
    pub const PAGES: &str = "pages.dkt";
    pub const TEXT: &str = "text.txt";
    pub const MARKDOWN: &str = "document.md";
    pub const PARSED: &str = "parsed.json";
    pub const EXTRACTION: &str = "extraction.json";

    /// The version that is written.
    pub const VERSION: u32 = 1;

    pub fn name(&self) -> &str {
        match self {
            Self::Original(_) => Self::ORIGINAL,
            Self::Pages(_) => Self::PAGES,
            Self::Text(_) => Self::TEXT,
            Self::Markdown(_) => Self::MARKDOWN,
            Self::Attachment(attachment) => &attachment.name,
            Self::Parsed(_) => Self::PARSED,
            Self::Extraction(_) => Self::EXTRACTION,
            Self::Other(entry) => &entry.name,
        }
    }

    /// Its object in the object store.
    pub fn file(&self) -> Option<StoredFile> {
        match self {
            Self::Original(file)
            | Self::Text(file)
            | Self::Markdown(file)
            | Self::Parsed(file)
            | Self::Extraction(file) => Some(file.clone()),
            Self::Pages(pages) => Some(pages.file.clone()),
            Self::Attachment(AttachmentArtifact { content, .. }) => match content {
                AttachmentContent::Stored(file) => Some(file.clone()),
                AttachmentContent::Document(_) => None,
            },
            Self::Other(entry) => entry.file(),
        }
    }

    /// The file name of a download.
    pub fn file_name(&self) -> &str {
        match self {
            Self::Attachment(AttachmentArtifact { file_name: Some(name), .. }) => name,
            _ => self.name(),
        }
    }

    /// The pages among the artifacts of a stage.
    pub fn pages_in(artifacts: &[Self]) -> Option<&PagesArtifact> {
        artifacts.iter().find_map(|artifact| match artifact {
            Self::Pages(pages) => Some(pages),
            _ => None,
        })
    }
}

impl AttachmentArtifact {
    const PREFIX: &str = "attachment-";

    /// A generated name, because the file's own name must not be used as a path. Counted from 1.
    pub fn name_of(number: usize) -> String {
        format!("{}{number}", Self::PREFIX)
    }
}

impl ArtifactEntry {
    fn file(&self) -> Option<StoredFile> {
        let (key, size_bytes, sha256) = (self.key.clone()?, self.size_bytes?, self.sha256?);
        Some(StoredFile { key, size_bytes, sha256 })
    }

    fn with(mut self, file: StoredFile) -> Self {
        let StoredFile { key, size_bytes, sha256 } = file;
        (self.key, self.size_bytes, self.sha256) = (Some(key), Some(size_bytes), Some(sha256));
        self
    }
}

impl From<ArtifactEntry> for Artifact {
    fn from(mut entry: ArtifactEntry) -> Self {
        if entry.name.is_empty()
            && let Some((_, name)) = entry.key.as_deref().and_then(|key| key.rsplit_once('/'))
        {
            name.clone_into(&mut entry.name);
        }
        let file = entry.file();
        match (entry.name.as_str(), file, entry.doc_id) {
            (Self::ORIGINAL, Some(file), _) => Self::Original(file),
            (Self::TEXT, Some(file), _) => Self::Text(file),
            (Self::MARKDOWN, Some(file), _) => Self::Markdown(file),
            (Self::PARSED, Some(file), _) => Self::Parsed(file),
            (Self::EXTRACTION, Some(file), _) => Self::Extraction(file),
            (Self::PAGES, Some(file), _) => Self::Pages(PagesArtifact {
                file,
                pages: entry.pages,
                wanting_ocr: entry.wanting_ocr,
            }),
            (name, Some(file), None) if name.starts_with(AttachmentArtifact::PREFIX) => {
                Self::Attachment(AttachmentArtifact::of(entry, AttachmentContent::Stored(file)))
            }
            (name, None, Some(doc)) if name.starts_with(AttachmentArtifact::PREFIX) => {
                Self::Attachment(AttachmentArtifact::of(entry, AttachmentContent::Document(doc)))
            }
            _ => Self::Other(entry),
        }
    }
}

impl AttachmentArtifact {
    fn of(entry: ArtifactEntry, content: AttachmentContent) -> Self {
        let ArtifactEntry { name, file_name, media_type, .. } = entry;
        Self { name, file_name, media_type, content }
    }
}

impl From<Artifact> for ArtifactEntry {
    fn from(artifact: Artifact) -> Self {
        let name = artifact.name().to_owned();
        let entry = Self { version: Some(Artifact::VERSION), name, ..Self::default() };
        match artifact {
            Artifact::Original(file)
            | Artifact::Text(file)
            | Artifact::Markdown(file)
            | Artifact::Parsed(file)
            | Artifact::Extraction(file) => entry.with(file),
            Artifact::Pages(PagesArtifact { file, pages, wanting_ocr }) => {
                Self { pages, wanting_ocr, ..entry.with(file) }
            }
            Artifact::Attachment(AttachmentArtifact { file_name, media_type, content, .. }) => {
                let entry = Self { file_name, media_type, ..entry };
                match content {
                    AttachmentContent::Stored(file) => entry.with(file),
                    AttachmentContent::Document(doc_id) => Self { doc_id: Some(doc_id), ..entry },
                }
            }
            Artifact::Other(entry) => entry,
        }
    }
}
