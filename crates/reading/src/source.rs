//! What is to be read, and how far reading may go.

use std::fmt;

use domain::FileKind;
use serde::{Deserialize, Serialize};

/// One document in memory.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    pub bytes: &'a [u8],
    pub kind: FileKind,
    /// As the uploader called it; for titles only.
    pub file_name: &'a str,
    /// For an encrypted file. The empty password is always tried first.
    pub password: Option<&'a str>,
    pub limits: Limits,
}

/// Where reading stops, so that a small file cannot ask for a large machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    pub pages: u32,
    /// Bytes that an archive may unpack to, all its members together.
    pub unpacked: u64,
    /// Pixels of one image, before it is decoded.
    pub pixels: u64,
    /// Elements within elements.
    pub nesting: u32,
    /// Words on one page; what goes beyond is cut off, and the page says so.
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
