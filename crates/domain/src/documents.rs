//! Documents: their status, the result of submitting one, and file kinds.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::ContentHash;
use crate::string_enum::string_enum;

string_enum! {
    "status of a document"
    /// The status of a document.
    ///
    /// A document with an active version is `active`, whatever a later run of it does. Without one it has the status of
    /// its latest run; `inactive` is a document that was withdrawn.
    pub enum DocumentStatus {
        Uploaded = "uploaded",
        Processing = "processing",
        Active = "active",
        Failed = "failed",
        Inactive = "inactive",
        Rejected = "rejected",
    }
}

string_enum! {
    "result of submitting a document"
    /// The result of submitting a document.
    pub enum DedupResult {
        /// No active document has this identity.
        New = "new",
        /// The document is known, and gets a new version.
        NewVersion = "new_version",
        /// The same content is active already.
        Skipped = "skipped",
        /// The same content is being processed; this is its run.
        InProgress = "in_progress",
    }
}

/// The identity of an upload: its content.
pub fn upload_uri(hash: ContentHash) -> String {
    format!("upload://sha256:{hash}")
}

macro_rules! file_kinds {
    ($($(#[$doc:meta])* $variant:ident = $name:literal $mime:literal),+ $(,)?) => {
        /// The kinds of files that Docket accepts.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum FileKind { $($(#[$doc])* $variant),+ }

        impl FileKind {
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The usual file name extension.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            pub fn media_type(self) -> &'static str {
                match self { $(Self::$variant => $mime),+ }
            }

            pub fn of_media_type(media_type: &str) -> Option<Self> {
                let media_type = if media_type == "text/xml" { "application/xml" } else { media_type };
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
    /// The XML of an electronic invoice; other XML is not accepted.
    Xml = "xml" "application/xml",
}

#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("'{0}' is not a supported kind of file")]
pub struct UnknownFileKind(pub String);

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Parses a file name extension, in any common spelling.
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
        assert_eq!(unknown.to_string(), "'lost' is not a valid status of a document");
    }

    #[test]
    fn every_spelling_of_an_extension_is_recognised() {
        for (text, kind) in
            [("PDF", FileKind::Pdf), ("jpeg", FileKind::Jpg), ("tif", FileKind::Tiff)]
        {
            assert_eq!(text.parse(), Ok(kind));
        }
        assert!("exe".parse::<FileKind>().is_err());
        for media_type in ["application/xml", "text/xml"] {
            assert_eq!(FileKind::of_media_type(media_type), Some(FileKind::Xml));
        }
    }

    #[test]
    fn the_identity_of_an_upload_is_its_content() {
        assert_eq!(
            upload_uri(ContentHash([0xab; 32])),
            format!("upload://sha256:{}", "ab".repeat(32))
        );
    }
}
