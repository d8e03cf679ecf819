//! A document on its way to a child: a descriptor that can be read and nothing else.
//!
//! The bytes are not copied through a pipe. A file is handed over as it is; bytes in memory go into a
//! sealed memory file, which has no name and ends with its last descriptor.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::{Stream, TryStreamExt};
use rustix::fs::{MemfdFlags, OFlags, SealFlags, fcntl_add_seals, fcntl_getfl, memfd_create};

/// Cheap to clone: it is one open file.
#[derive(Clone, Debug)]
pub struct Document(Arc<File>);

impl Document {
    /// An open file. One that could be written through is refused: a child must not get hold of it.
    pub fn from_file(file: File) -> io::Result<Self> {
        let mode = fcntl_getfl(&file)? & OFlags::ACCMODE;
        if mode != OFlags::RDONLY {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "open it for reading only"));
        }
        Ok(Self(Arc::new(file)))
    }

    /// Copies the bytes once. Blocks for as long as that takes.
    pub fn from_bytes(bytes: &[u8]) -> io::Result<Self> {
        let mut writer = DocumentWriter::new()?;
        writer.write_all(bytes)?;
        writer.finish()
    }

    /// Takes in what comes from an object store. `of_disk` says what it means when there is no room here.
    pub async fn from_stream<E>(
        bytes: impl Stream<Item = Result<Bytes, E>>,
        of_disk: impl Fn(io::Error) -> E,
    ) -> Result<Self, E> {
        let mut bytes = std::pin::pin!(bytes);
        let mut writer = DocumentWriter::new().map_err(&of_disk)?;
        while let Some(piece) = bytes.try_next().await? {
            writer.write_all(&piece).map_err(&of_disk)?;
        }
        writer.finish().map_err(of_disk)
    }

    /// The file for reading, with a position of its own: whoever gets it shares nothing with others.
    pub fn reopened(&self) -> io::Result<File> {
        File::open(format!("/proc/self/fd/{}", self.0.as_raw_fd()))
    }
}

/// Takes a document piece by piece.
#[derive(Debug)]
pub struct DocumentWriter(File);

impl DocumentWriter {
    pub fn new() -> io::Result<Self> {
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        Ok(Self(File::from(memfd_create("document", flags)?)))
    }

    /// From here on nobody can change it.
    pub fn finish(self) -> io::Result<Document> {
        let seals = SealFlags::WRITE | SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL;
        fcntl_add_seals(&self.0, seals)?;
        Ok(Document(Arc::new(self.0)))
    }
}

impl Write for DocumentWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_can_be_written_through_is_not_handed_over() {
        let file = tempfile::tempfile().unwrap();
        assert!(Document::from_file(file).is_err());
    }

    #[test]
    fn every_reader_has_a_position_of_its_own() {
        let document = Document::from_bytes(b"as it is").unwrap();
        let (mut first, mut second) = (document.reopened().unwrap(), document.reopened().unwrap());
        assert_eq!(io::read_to_string(&mut first).unwrap(), "as it is");
        assert_eq!(io::read_to_string(&mut second).unwrap(), "as it is");
        assert!(first.write_all(b"otherwise").is_err());
    }

    #[test]
    fn what_was_written_cannot_be_changed() {
        let document = Document::from_bytes(b"as it is").unwrap();
        assert!((&*document.0).write_all(b"otherwise").is_err());
    }
}
