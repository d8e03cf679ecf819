//! Documents, as everybody talks of them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::ContentHash;
use crate::words::words;

words! {
    "status of a document"
    /// Where a document stands.
    ///
    /// A document with an active version is `active`, whatever a later run of it does. Without one it
    /// follows its latest run; `inactive` is one whose version was taken out of service.
    pub enum DocumentStatus {
        Uploaded = "uploaded",
        Processing = "processing",
        Active = "active",
        Failed = "failed",
        Inactive = "inactive",
        Rejected = "rejected",
    }
}

words! {
    "outcome of handing a document in"
    /// What came of handing a document in.
    pub enum DedupResult {
        /// Nothing with this identity is being served.
        New = "new",
        /// The identity is known, its content has changed.
        NewVersion = "new_version",
        /// The very same content is served already.
        Skipped = "skipped",
        /// The very same content is being processed at this moment; this is its run.
        InProgress = "in_progress",
    }
}

/// The identity of an upload: its content.
pub fn upload_uri(hash: ContentHash) -> String {
    format!("upload://sha256:{hash}")
}

macro_rules! file_kinds {
    ($($variant:ident = $name:literal $mime:literal),+ $(,)?) => {
        /// The kinds of files that Docket can take.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum FileKind { $($variant),+ }

        impl FileKind {
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The usual ending of its name.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            pub fn media_type(self) -> &'static str {
                match self { $(Self::$variant => $mime),+ }
            }

            pub fn of_media_type(media_type: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|kind| kind.media_type() == media_type)
            }
        }
    };
}

file_kinds! {
    Pdf = "pdf" "application/pdf",
    Docx = "docx" "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    Xlsx = "xlsx" "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    Pptx = "pptx" "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    Html = "html" "text/html",
    Txt = "txt" "text/plain",
    Md = "md" "text/markdown",
    Eml = "eml" "message/rfc822",
    Png = "png" "image/png",
    Jpg = "jpg" "image/jpeg",
    Tiff = "tiff" "image/tiff",
}

#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("'{0}' is not a kind of file that can be taken")]
pub struct UnknownFileKind(pub String);

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// By the ending of a name, in any of its spellings.
impl FromStr for FileKind {
    type Err = UnknownFileKind;

    fn from_str(text: &str) -> Result<Self, UnknownFileKind> {
        let lower = text.to_ascii_lowercase();
        let usual = match lower.as_str() {
            "htm" | "xhtml" => "html",
            "jpeg" => "jpg",
            "tif" => "tiff",
            "markdown" => "md",
            "text" => "txt",
            other => other,
        };
        let kind = Self::ALL.iter().copied().find(|kind| kind.as_str() == usual);
        kind.ok_or_else(|| UnknownFileKind(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_reads_back() {
        for status in DocumentStatus::ALL {
            assert_eq!(status.as_str().parse(), Ok(status));
            assert_eq!(serde_json::json!(status), status.as_str());
        }
        let unknown = "lost".parse::<DocumentStatus>().unwrap_err();
        assert_eq!(unknown.to_string(), "'lost' is no status of a document");
    }

    #[test]
    fn a_kind_is_known_by_every_spelling_of_its_ending() {
        for (text, kind) in
            [("PDF", FileKind::Pdf), ("jpeg", FileKind::Jpg), ("tif", FileKind::Tiff)]
        {
            assert_eq!(text.parse(), Ok(kind));
        }
        assert!("exe".parse::<FileKind>().is_err());
    }

    #[test]
    fn the_identity_of_an_upload_is_its_content() {
        assert_eq!(
            upload_uri(ContentHash([0xab; 32])),
            format!("upload://sha256:{}", "ab".repeat(32))
        );
    }
}
