//! Where documents come from, and what starts their runs.

use bytes::Bytes;

use crate::string_enum::string_enum;
use crate::{ContentHash, DocId, RunId, TenantId, upload_uri};

/// Where a document came from, and what identifies it there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// An upload, identified by its content.
    Upload,
    /// An attachment of another document, identified by its content.
    Attachment {
        parent: DocId,
        depth: u64,
    },
    S3 {
        bucket: String,
        key: String,
    },
    Gcs {
        bucket: String,
        name: String,
    },
    /// A file in a folder of a machine that runs Docket.
    Folder {
        path: String,
    },
}

string_enum! {
    "source type"
    /// Where the content of a run came from, as the run's configuration records it.
    #[derive(Default)]
    pub enum SourceType {
        #[default]
        Upload = "upload",
        Attachment = "attachment",
        S3 = "s3",
        Gcs = "gcs",
        Folder = "folder",
        /// The run processes content that the document already had.
        Rerun = "rerun",
    }
}

string_enum! {
    "run type"
    /// What started a run.
    #[derive(Default)]
    pub enum RunType {
        #[default]
        ManualUpload = "manual_upload",
        Attachment = "attachment",
        /// A user reran a document, with the same original or an updated one.
        Rerun = "rerun",
        S3Sync = "s3_sync",
        GcsSync = "gcs_sync",
        FolderSync = "folder_sync",
    }
}

/// A file that is contained in another document, such as an attachment of a mail.
#[derive(Clone, Debug)]
pub struct AttachedFile {
    pub tenant_id: TenantId,
    pub parent: DocId,
    /// The run that found it.
    pub run_id: RunId,
    /// Its file name in that document.
    pub name: String,
    pub content: Bytes,
    /// The nesting depth: how many documents contain it.
    pub depth: u64,
}

impl Origin {
    /// The identity of a document of this origin: its content, or its location in a source.
    pub fn source_uri(&self, content: ContentHash) -> String {
        match self {
            Self::Upload | Self::Attachment { .. } => upload_uri(content),
            Self::S3 { bucket, key } => format!("s3://{bucket}/{key}"),
            Self::Gcs { bucket, name } => format!("gs://{bucket}/{name}"),
            Self::Folder { path } => format!("file://{path}"),
        }
    }

    pub fn source_type(&self) -> SourceType {
        match self {
            Self::Upload => SourceType::Upload,
            Self::Attachment { .. } => SourceType::Attachment,
            Self::S3 { .. } => SourceType::S3,
            Self::Gcs { .. } => SourceType::Gcs,
            Self::Folder { .. } => SourceType::Folder,
        }
    }

    pub fn run_type(&self) -> RunType {
        match self {
            Self::Upload => RunType::ManualUpload,
            Self::Attachment { .. } => RunType::Attachment,
            Self::S3 { .. } => RunType::S3Sync,
            Self::Gcs { .. } => RunType::GcsSync,
            Self::Folder { .. } => RunType::FolderSync,
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    /// Every origin: source type, run type, and the identity of its documents.
    #[test]
    fn every_origin_has_a_source_type_a_run_type_and_an_identity() {
        let text = str::to_owned;
        let parent = DocId(Uuid::nil());
        let origins = [
            Origin::Upload,
            Origin::Attachment { parent, depth: 1 },
            Origin::S3 { bucket: text("b"), key: text("in/a.pdf") },
            Origin::Gcs { bucket: text("b"), name: text("in/a.pdf") },
            Origin::Folder { path: text("/in/a.pdf") },
        ];
        let content = ContentHash([0xab; 32]);
        let by_content = upload_uri(content);
        let rows = origins.map(|origin| {
            let uri = origin.source_uri(content).replace(&by_content, "(content)");
            format!("{} {} {uri}", origin.source_type(), origin.run_type())
        });
        assert_eq!(
            rows,
            [
                "upload manual_upload (content)",
                "attachment attachment (content)",
                "s3 s3_sync s3://b/in/a.pdf",
                "gcs gcs_sync gs://b/in/a.pdf",
                "folder folder_sync file:///in/a.pdf",
            ]
        );
    }

    #[test]
    fn run_and_source_types_read_back_and_have_the_same_name_in_json() {
        for run_type in RunType::ALL {
            assert_eq!(run_type.as_str().parse(), Ok(run_type));
            assert_eq!(serde_json::to_value(run_type).unwrap(), run_type.as_str());
        }
        for source_type in SourceType::ALL {
            assert_eq!(source_type.as_str().parse(), Ok(source_type));
            assert_eq!(serde_json::to_value(source_type).unwrap(), source_type.as_str());
        }
    }
}
