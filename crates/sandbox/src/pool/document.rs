//! A document for a child: a read-only file descriptor.
//!
//! The bytes are not copied through a pipe. A file is passed as it is; bytes in memory are written to a
//! sealed memory file, which has no name and is freed with its last descriptor.

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
    /// An open file. A writable one is refused: a child must not be able to change it.
    pub fn from_file(file: File) -> io::Result<Self> {
        let mode = fcntl_getfl(&file)? & OFlags::ACCMODE;
        if mode != OFlags::RDONLY {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "the file must be opened read-only",
            ));
        }
        Ok(Self(Arc::new(file)))
    }

    /// Copies the bytes once, and blocks meanwhile.
    pub fn from_bytes(bytes: &[u8]) -> io::Result<Self> {
        let mut writer = DocumentWriter::new()?;
        writer.write_all(bytes)?;
        writer.finish()
    }

    /// Copies a stream from an object store. `of_disk` converts errors of the local machine.
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

    /// Opens the file again for reading, with an independent position.
    pub fn reopened(&self) -> io::Result<File> {
        File::open(format!("/proc/self/fd/{}", self.0.as_raw_fd()))
    }
}

/// Builds a document piece by piece.
#[derive(Debug)]
pub struct DocumentWriter(File);

impl DocumentWriter {
    pub fn new() -> io::Result<Self> {
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        Ok(Self(File::from(memfd_create("document", flags)?)))
    }

    /// Seals it against any change.
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
    fn a_writable_file_is_refused() {
        let file = tempfile::tempfile().unwrap();
        assert!(Document::from_file(file).is_err());
    }

    #[test]
    fn every_reader_has_an_independent_position() {
        let document = Document::from_bytes(b"original").unwrap();
        let (mut first, mut second) = (document.reopened().unwrap(), document.reopened().unwrap());
        assert_eq!(io::read_to_string(&mut first).unwrap(), "original");
        assert_eq!(io::read_to_string(&mut second).unwrap(), "original");
        assert!(first.write_all(b"changed").is_err());
    }

    #[test]
    fn a_finished_document_cannot_be_changed() {
        let document = Document::from_bytes(b"original").unwrap();
        assert!((&*document.0).write_all(b"changed").is_err());
    }
}
