//! The file of an upload under way.

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;

use bytes::Bytes;
use rustix::fs::{OFlags, fcntl_setfl};

use super::disk::{create_private, remove_or_warn};
use super::steps::{ALIGNMENT, is_aligned};
use crate::error::{Attempt, Result};
use crate::upload::{Relay, on_blocking_thread};

/// Written on a blocking thread, a batch at a time. Dropped before it is finished, the file goes.
pub(crate) struct StagedFile {
    path: PathBuf,
    writing: Relay<Writing>,
}

/// What the thread has. It is dropped when the thread is done with it, so that a file that is just
/// being made goes as well.
struct Writing {
    path: PathBuf,
    /// Made by the first write.
    file: Option<DirectFile>,
    /// The first failure; nothing is written after it.
    failure: Option<io::Error>,
    is_kept: bool,
}

/// A file that is written past the page cache where that is possible: it spares the processor a copy, and the
/// fsync at the end has little left to do.
struct DirectFile {
    file: File,
    length: usize,
    is_direct: bool,
    /// Not every file system can.
    is_refused: bool,
}

impl DirectFile {
    fn new(file: File) -> Self {
        Self { file, length: 0, is_direct: false, is_refused: false }
    }

    fn write_all(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            self.choose_the_way_of(bytes)?;
            match self.file.write(bytes) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => {
                    self.length += written;
                    bytes = &bytes[written..];
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::InvalidInput && self.is_direct => {
                    self.is_refused = true;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn choose_the_way_of(&mut self, bytes: &[u8]) -> io::Result<()> {
        let direct = !self.is_refused && is_aligned(bytes) && self.length.is_multiple_of(ALIGNMENT);
        if direct == self.is_direct {
            return Ok(());
        }
        let flags = if direct { OFlags::DIRECT } else { OFlags::empty() };
        match fcntl_setfl(&self.file, flags) {
            Ok(()) => self.is_direct = direct,
            Err(_) if direct => self.is_refused = true,
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }
}

impl Writing {
    fn write(&mut self, bytes: &[u8]) {
        if self.failure.is_none() {
            self.failure = self.try_to_write(bytes).err();
        }
    }

    fn try_to_write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.file {
            Some(file) => file.write_all(bytes),
            file @ None => {
                file.insert(DirectFile::new(create_private(&self.path)?)).write_all(bytes)
            }
        }
    }

    /// The file stays open, and with that locked.
    fn keep(mut self) -> io::Result<Option<File>> {
        if let Some(written) = &self.file {
            written.file.sync_data()?;
        }
        self.is_kept = true;
        Ok(self.file.take().map(|written| written.file))
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        if self.file.is_some() && !self.is_kept {
            remove_or_warn(&self.path);
        }
    }
}

impl StagedFile {
    pub(super) fn new(path: PathBuf) -> Self {
        let writing = Writing { path: path.clone(), file: None, failure: None, is_kept: false };
        Self { path, writing: Relay::new(writing) }
    }

    /// Begins to write it when what came before is written. So a failure shows one call later.
    pub(crate) async fn write(&mut self, bytes: Bytes) -> Result<()> {
        self.fail_if_the_last_write_did().await?;
        self.writing.hand_over(move |writing| writing.write(&bytes)).await
    }

    /// What was written lasts when this returns. The file is locked until it is dropped.
    pub(crate) async fn finish(mut self) -> Result<Option<File>> {
        self.fail_if_the_last_write_did().await?;
        let writing = self.writing.take().await?;
        let kept = on_blocking_thread(move || writing.keep()).await?;
        kept.attempt("write", &self.path)
    }

    async fn fail_if_the_last_write_did(&mut self) -> Result<()> {
        match self.writing.rest().await?.failure.take() {
            None => Ok(()),
            Some(error) => Err(error).attempt("write", &self.path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::aligned;

    fn piece(size: usize) -> Bytes {
        let mut piece = aligned(size);
        piece.extend_from_slice(&vec![7; size]);
        piece.freeze()
    }

    #[test]
    fn pieces_of_any_length_follow_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let mut file = DirectFile::new(create_private(&path).unwrap());
        let mut length = 0;
        for size in [3 * ALIGNMENT, ALIGNMENT, 5, ALIGNMENT, 2 * ALIGNMENT - 5, ALIGNMENT, 1] {
            file.write_all(&piece(size)).unwrap();
            length += size;
            assert_eq!(file.length, length);
        }
        assert_eq!(std::fs::read(path).unwrap(), vec![7; length]);
    }

    /// As is every file of some file systems.
    #[test]
    fn a_file_that_can_only_be_written_through_the_cache() {
        let mut file = DirectFile::new(File::options().write(true).open("/dev/null").unwrap());
        file.write_all(&piece(ALIGNMENT)).unwrap();
        assert!(file.is_refused && !file.is_direct);
        assert_eq!(file.length, ALIGNMENT);
    }
}
