//! The document to read, and the limits for reading it.

use std::fmt;

use domain::FileKind;
use serde::{Deserialize, Serialize};

/// One document in memory.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    pub bytes: &'a [u8],
    pub kind: FileKind,
    /// The file name of the upload; used for titles only.
    pub file_name: &'a str,
    /// For an encrypted file. The reader always tries the empty password first.
    pub password: Option<&'a str>,
    pub limits: Limits,
}

/// Limits that keep a small file from using a lot of memory or time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    pub pages: u32,
    /// The unpacked size of an archive, all members together, in bytes.
    pub unpacked: u64,
    /// Pixels of one image; checked before it is decoded.
    pub pixels: u64,
    /// Depth of nested elements.
    pub nesting: u32,
    /// Words on one page; the reader drops the rest, and notes it on the page.
    pub words: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            pages: 10_000,
            unpacked: 512 << 20,
            pixels: 120_000_000,
            nesting: 512,
            words: 100_000,
        }
    }
}

impl fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source")
            .field("kind", &self.kind)
            .field("bytes", &self.bytes.len())
            .finish_non_exhaustive()
    }
}
